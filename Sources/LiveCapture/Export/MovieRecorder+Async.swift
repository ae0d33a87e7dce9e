// SPDX-License-Identifier: MIT
// Recording movies from asynchronous code: whatever waits for the disk suspends its caller.

import FrameRing
import LivecapFrameFiles
import LivecapFrames
import LivecapThreads

extension MovieRecorder {
    /// Starts to record the frames that `source` publishes into `ring` from now on. If `path` is a pipe, waits for its
    /// reader.
    ///
    /// Call `finish` before letting the recorder go: a recorder that is released has to block until its file is
    /// durable.
    /// - Throws: why the file cannot be created, such as one that exists already.
    public static func start(
        _ source: SourceDescription, ring: Ring, to path: String, as kind: MovieKind,
        _ settings: RecordingSettings = RecordingSettings(), gate: FollowerGate? = nil
    ) async throws(FrameFileError) -> MovieRecorder {
        try await onThread(named: "open") { () throws(FrameFileError) in
            try MovieRecorder(source, ring: ring, to: path, as: kind, settings, gate: gate)
        }
    }

    /// Stops the recording and waits until the file is durable. Cancelling the task does not shorten this.
    @discardableResult
    public func finish() async -> RecordingResult { await onThread(named: "finish") { self.finish() } }
}
