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
        let (session, history) = (session, history)
        switching.answer(reply) {
            do throws(SessionError) {
                try session.goOn(with: intent.id, format, keptIn: history)
                return status()
            } catch .source(.noSuchDevice(intent.id, _)) {
                return .failure(404, "no camera has that id", code: "no-such-device", hint: "GET /cameras lists them")
            } catch { return .failure(409, error, code: "cannot-switch") }
        }
    }

    /// `GET /controls`.
    func controls(_ reply: HTTPReply) {
        ask(reply) { (session) throws(CameraError) in .json((try session.cameraControls() ?? []).page) }
    }

    /// `POST /controls`.
    func set(_ request: HTTPRequest, _ reply: HTTPReply) {
        let setting: ControlSetting
        do throws(IntentFault) { setting = try ControlSetting(ControlIntent(body: request.body)) } catch {
            return reply.send(.failure(error))
        }
        ask(reply) { (session) throws(CameraError) in
            guard let controls = try session.set(setting) else {
                return .failure(
                    409, "the source has no controls", code: "no-controls", hint: "choose a camera with POST /cameras")
            }
            return .json(controls.page)
        }
    }

    private func ask(
        _ reply: HTTPReply, _ body: @escaping @Sendable (CaptureSession) throws(CameraError) -> HTTPResponse
    ) {
        let session = session
        asking.answer(reply) {
            do throws(CameraError) { return try body(session) } catch {
                return .failure(409, error, code: error.code)
            }
        }
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
