// SPDX-License-Identifier: MIT
// Cameras and their controls, as pages ask for them.

import Camera
import LiveCapture
import LivecapFrames
import LivecapHTTP
import LivecapIntents
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
        let intent: CameraIntent, format: FormatRequest
        do throws(IntentFault) {
            intent = try CameraIntent(body: request.body)
            format = try FormatRequest(intent)
        } catch { return reply.send(.failure(error)) }
        let (session, history, id) = (session, history, intent.id)
        let source = CaptureSource.camera(id, format)
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
        let setting: ControlSetting
        do throws(IntentFault) { setting = try ControlSetting(ControlIntent(body: request.body)) } catch {
            return reply.send(.failure(error))
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

extension FormatRequest {
    /// The format that an intent names.
    fileprivate init(_ intent: CameraIntent) throws(IntentFault) {
        self.init()
        if let text = intent.format {
            guard let format = PixelFormat(named: text) else {
                throw IntentFault("'\(text)' is no pixel format", hint: "GET /cameras lists them")
            }
            pixelFormat = format
        }
        if let width = intent.width, let height = intent.height { size = FrameSize(width: width, height: height) }
        if let rate = intent.rate { self.rate = FrameRate("\(rate)") }
    }
}

extension ControlSetting {
    fileprivate init(_ intent: ControlIntent) throws(IntentFault) {
        guard let setting = ControlSetting("\(intent.key)=\(intent.value)") else {
            throw IntentFault(
                "\"\(intent.key)\" cannot be \"\(intent.value)\"", hint: "GET /controls lists keys and values")
        }
        self = setting
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
