// SPDX-License-Identifier: MIT
// The microphone for movies of a session, which follows the session's camera.

import Camera
import LiveCapture
import LivecapFrames
import LivecapSound
import LivecapThreads

extension CaptureSession {
    /// Opens a microphone for movies of this session: by default the one that its camera has, else the one connected
    /// last.
    ///
    /// When it is unplugged, what follows is silence until it is back, or, if the choice is automatic, until another
    /// one takes over. When the session takes another camera, that one's microphone is preferred. The microphone stays
    /// open until it is stopped, or nothing uses it any more.
    ///
    /// `past` is how far back movies may begin.
    /// - Throws: why no microphone can be used; `otherClock` for recordings, and scenes at the fast pace, whose time is
    ///   not that of a microphone.
    public func openMicrophone(
        _ choice: MicrophoneChoice = .automatic, past: Duration = .zero
    ) async throws(SoundError) -> SoundCapture {
        guard source.clock == .monotonic else { throw .otherClock }
        return try await onThread(named: "microphone") { () throws(SoundError) in
            try self.openMicrophone(choice, in: Microphones(), past: past)
        }
    }

    /// The same for callers that may block, among the microphones of `directory`.
    package func openMicrophone(
        _ choice: MicrophoneChoice, in directory: any SoundDirectory, past: Duration
    ) throws(SoundError) -> SoundCapture {
        let capture = try SoundCapture(
            choice, in: directory, camera: CameraDirectory().device(of: source.identity),
            past: past + SoundHistory.lateness)
        capture.whenStopped(sinks.attach(CameraFollower(capture)))
        return capture
    }

    /// Tells a microphone which camera delivers.
    private final class CameraFollower: FrameSink {
        private weak let capture: SoundCapture?

        init(_ capture: SoundCapture) { self.capture = capture }

        func streamBegins(_ stream: SinkStream) {
            capture?.prefer(camera: CameraDirectory().device(of: stream.source.identity))
        }

        func hostEnds() {}
    }
}
