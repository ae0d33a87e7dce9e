// SPDX-License-Identifier: MIT
// The camera of a run, as clients of its socket change it: another one, another format, a control.

import Camera
import LiveCapture
import LivecapIntents
import LivecapThreads

/// Does what clients ask of the camera, one thing at a time, on threads of its own: it may take a second, and taps do
/// not wait for it.
final class RunCamera: Sendable {
    private let session: CaptureSession
    private let isBusy = Guarded(false)

    init(_ session: CaptureSession) { self.session = session }

    /// Goes on with another camera or format.
    func obey(_ intent: CameraIntent, telling replies: SocketReplies) {
        let session = session
        work(replies) { () throws(Failure) in
            let format = try Self.wanted { () throws(IntentFault) in try FormatRequest(intent) }
            do throws(SessionError) {
                // What a program chooses is not what its user prefers.
                try session.goOn(with: intent.id, format, keptIn: nil)
            } catch .source(let error) { throw .camera(error) } catch {
                throw .pictures(error.message, hint: error.hint)
            }
            let source = session.presentSource
            return [
                ("name", .string(source.name)), ("camera", .string(source.identity)),
                ("format", .string("\(source.format.pixelFormat)")), ("width", JSON(source.format.size.width)),
                ("height", JSON(source.format.size.height)), ("fps", JSON(source.rate?.framesPerSecond)),
            ]
        } then: {
            replies.send(camera: $0)
        }
    }

    /// Sets a control.
    func obey(_ intent: ControlIntent, telling replies: SocketReplies) {
        let session = session
        work(replies) { () throws(Failure) in
            let setting = try Self.wanted { () throws(IntentFault) in try ControlSetting(intent) }
            let controls: [CameraControl]?
            do throws(CameraError) { controls = try session.set(setting) } catch { throw .camera(error) }
            guard let controls else {
                throw .pictures("the source has no controls", hint: "a camera has some: 'livecap controls' lists them")
            }
            let value = (try? controls.value(of: setting.name))?.description
            return [("key", .string(intent.key)), ("value", JSON(value))]
        } then: {
            replies.send(control: $0)
        }
    }

    private static func wanted<Value>(_ body: () throws(IntentFault) -> Value) throws(Failure) -> Value {
        do throws(IntentFault) { return try body() } catch { throw .pictures(error.message, hint: error.hint) }
    }

    private func work(
        _ replies: SocketReplies, _ body: @escaping @Sendable () throws(Failure) -> [(String, JSON)],
        then tell: @escaping @Sendable ([(String, JSON)]) -> Void
    ) {
        let isFree = isBusy.withLock { isBusy in
            defer { isBusy = true }
            return !isBusy
        }
        guard isFree else {
            return replies.refuse(.pictures("the camera is being changed", hint: "try again in a moment"))
        }
        do throws(SystemShortage) {
            try SystemThread(name: "camera") { [self] in
                let done: Result<[(String, JSON)], Failure>
                do throws(Failure) { done = .success(try body()) } catch { done = .failure(error) }
                // Before the reply, which may bring the next request.
                isBusy.withLock { $0 = false }
                switch done {
                case .success(let members): tell(members)
                case .failure(let failure): replies.refuse(failure)
                }
            }.detach()
        } catch {
            isBusy.withLock { $0 = false }
            replies.refuse(.pictures(error.message, hint: error.hint))
        }
    }
}
