// SPDX-License-Identifier: MIT
// Cameras and their controls, as pages ask for them.

import Camera
import LiveCapture
import LivecapFrames
import LivecapHTTP
import LivecapJSONText
import LivecapThreads

/// Answers requests for cameras and controls, and changes them.
final class CameraPages: Sendable {
    private let session: CaptureSession
    /// Cameras are asked one at a time: each answer may take a while, and switch a light on.
    private let asking = RequestQueue("cameras", threads: 1, waiting: 16)
    private let switching = RequestQueue("switch", threads: 1, waiting: 4)

    private let history: CameraHistory?

    /// Keeps a camera that is chosen in `history`.
    init(_ session: CaptureSession, _ history: CameraHistory?) {
        self.session = session
        self.history = history
    }

    /// `GET /cameras`.
    func list(_ reply: HTTPReply) {
        let own = session.source.identity
        asking.answer(reply) {
            let cameras = CameraDirectory().cameras()
            return .json(.object([("cameras", .array(cameras.map { $0.page(isInUse: $0.identity == own) }))]))
        }
    }

    /// `POST /cameras`: goes on with another camera, or with another format of the same one.
    func change(_ request: HTTPRequest, _ reply: HTTPReply, then status: @escaping @Sendable () -> HTTPResponse) {
        guard let object = JSON(parsing: request.body), let id = object["id"]?.asString else {
            return reply.send(
                .failure(400, "the body names no camera", code: "bad-request", hint: "send {\"id\":\"...\"}"))
        }
        var wish = FormatRequest()
        if let text = object["format"]?.asString {
            guard let format = PixelFormat(named: text) else {
                return reply.send(
                    .failure(400, "'\(text)' is no pixel format", code: "bad-request", hint: "GET /cameras lists them"))
            }
            wish.pixelFormat = format
        }
        if let width = object["width"]?.asInteger, let height = object["height"]?.asInteger {
            guard (1...16384).contains(width), (1...16384).contains(height) else {
                return reply.send(
                    .failure(400, "that is no size of pictures", code: "bad-request", hint: "GET /cameras lists them"))
            }
            wish.size = FrameSize(width: Int(width), height: Int(height))
        }
        if let rate = object["fps"]?.asDouble { wish.rate = FrameRate("\(rate)") }
        let (session, history, source) = (session, history, CaptureSource.camera(id, wish))
        switching.answer(reply) {
            // Whatever else a camera can be named by, such as a path, would be opened to see whether it is one.
            guard id == session.source.identity || CameraDirectory().has(id) else {
                return .failure(404, "no camera has that id", code: "no-such-camera", hint: "GET /cameras lists them")
            }
            do throws(SessionError) {
                let before = session.source.identity
                try session.replaceSource(source)
                if id != before, let camera = try? CameraDirectory().camera(named: id) {
                    // Whether it can be kept changes nothing about the camera of now.
                    try? history?.choose(camera)
                }
                return status()
            } catch { return .failure(409, error, code: "cannot-switch") }
        }
    }

    /// `GET /controls`.
    func controls(_ reply: HTTPReply) {
        ask(reply) { (node) throws(CameraError) in .json(try node.controls().page) }
    }

    /// `POST /controls`.
    func set(_ request: HTTPRequest, _ reply: HTTPReply) {
        guard let object = JSON(parsing: request.body), let key = object["key"]?.asString,
            let value = object["value"], let setting = ControlSetting("\(key)=\(value.plain)")
        else {
            return reply.send(
                .failure(
                    400, "the body sets no control", code: "bad-request",
                    hint: "send {\"key\":\"brightness\",\"value\":12}"))
        }
        ask(reply) { (node) throws(CameraError) in
            try node.check([setting], afterReset: false)
            return .json(try node.set([setting]).page)
        }
    }

    private func ask(
        _ reply: HTTPReply, _ body: @escaping @Sendable (ControlNode) throws(CameraError) -> HTTPResponse
    ) {
        let name = session.source.identity
        guard session.rotation != nil else { return reply.send(.json([CameraControl]().page)) }
        asking.answer(reply) {
            do throws(CameraError) {
                return try body(try ControlNode(CameraDirectory().camera(named: name).path))
            } catch { return .failure(409, error, code: error.code) }
        }
    }
}

extension JSON {
    /// A number or text as a control's value is written.
    fileprivate var plain: String {
        if case .bool(let value) = self { return value ? "1" : "0" }
        return asString ?? text
    }
}

extension [CameraControl] {
    /// All controls that can be set.
    fileprivate var page: JSON {
        .object([("controls", .array(filter(\.isSettable).map(\.page)))])
    }
}

extension CameraControl {
    fileprivate var page: JSON {
        var members: [(String, JSON)] = [
            ("key", .string(key)), ("name", .string(name)), ("kind", .string(kind.page)),
            ("minimum", .integer(minimum)), ("maximum", .integer(maximum)), ("step", JSON(step)),
            ("default", .integer(defaultValue)), ("value", JSON(value)),
            ("inactive", .bool(isInactive)),
        ]
        if case .menu(let items) = kind {
            members.append(
                ("items", .object(items.sorted { $0.key < $1.key }.map { ("\($0.key)", .string($0.value)) })))
        }
        return .object(members)
    }
}

extension CameraControl.Kind {
    fileprivate var page: String {
        switch self {
        case .integer, .integer64: "integer"
        case .boolean: "boolean"
        case .menu: "menu"
        case .button: "button"
        case .other: "other"
        }
    }
}

extension CameraRecord {
    fileprivate func page(isInUse: Bool) -> JSON {
        let formats = offers.map { offer in
            JSON.object([
                ("format", .string("\(offer.pixelFormat)")), ("width", JSON(offer.size.width)),
                ("height", JSON(offer.size.height)), ("fps", .array(offer.rates.map { .number($0.framesPerSecond) })),
            ])
        }
        return .object([
            ("id", .string(identity)), ("name", .string(name)), ("path", .string(path)), ("inUse", .bool(isInUse)),
            ("error", JSON(trouble?.message)), ("formats", .array(formats)),
        ])
    }
}
