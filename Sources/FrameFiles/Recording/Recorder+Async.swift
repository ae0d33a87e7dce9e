// SPDX-License-Identifier: MIT
// Recording from asynchronous code: whatever waits for the disk suspends its caller.

import FrameRing
import LivecapFrames
import LivecapThreads

extension Recorder {
    /// Starts recording the frames that `source` publishes into `ring` from now on. If `path` is a pipe, waits for its
    /// reader.
    ///
    /// Call `finish` before letting the recorder go: a recorder that is released has to block until its file is
    /// durable.
    /// - Throws: why the file cannot be created, such as one that exists already.
    public static func start(
        _ source: SourceDescription, ring: Ring, to path: String,
        _ settings: RecordingSettings = RecordingSettings(), gate: FollowerGate? = nil
    ) async throws(FrameFileError) -> Recorder {
        try await onThread(named: "open") { () throws(FrameFileError) in
            try Recorder(source, ring: ring, to: path, settings, gate: gate)
        }
    }

    /// Stops the recording and waits until the file is durable. Cancelling the task does not shorten this.
    @discardableResult
    public func finish() async -> RecordingResult { await onThread(named: "finish") { self.finish() } }

    /// Waits until the recording has ended, by itself or through `stop`, and its file is durable.
    public func wait() async -> RecordingResult { await onThread(named: "finish") { self.wait() } }
}
