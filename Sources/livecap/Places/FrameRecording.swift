// SPDX-License-Identifier: MIT
// A file that frames are recorded into, of whichever kind its name says.

import FrameRing
import LiveCapture
import LivecapFrameFiles
import LivecapFrames
import LivecapPictures

/// A running recording.
protocol FrameRecording: Sendable {
    var progress: RecordingProgress { get }
    var byteCount: Int { get }
    /// Decodes JPEG frames together with the other readers of their stream.
    func follow(_ planes: SharedPlanes)
    func stop()
    func finish() -> RecordingResult
    func waitForEnd(until deadline: Timestamp) -> Bool
    func whenEnded(_ body: @escaping @Sendable () -> Void)
}

extension Recorder: FrameRecording {
    /// It decodes none.
    func follow(_ planes: SharedPlanes) {}
}
extension MovieRecorder: FrameRecording {}

/// Records the frames that `source` publishes into `ring`, from `beginning`, or from now on: for other programs if the
/// name is of that kind, otherwise as a recording that keeps everything. The wait for a pipe's reader ends with a
/// signal, or once it `isOver`.
func record(
    _ source: SourceDescription, from ring: Ring, to path: String, _ settings: RecordingSettings, gate: FollowerGate?,
    from beginning: consuming FrameSubscription? = nil, unless interruption: Interruption,
    orOnce isOver: @escaping () -> Bool = { false }
) throws(Failure) -> any FrameRecording {
    let isUnwanted = { interruption.signal != nil || isOver() }
    var beginning = beginning
    return try creating(unless: interruption) { () throws(FrameFileError) -> any FrameRecording in
        if let kind = MovieKind(path: path) {
            return try MovieRecorder(
                source, ring: ring, to: path, as: kind, settings, gate: gate, from: beginning.take(),
                unless: isUnwanted)
        }
        return try Recorder(
            source, ring: ring, to: path, settings, gate: gate, from: beginning.take(), unless: isUnwanted)
    }
}

extension SourceDescription {
    /// The same, named as what was done to its frames: a recording keeps the name.
    func treated(_ treatment: String?) -> Self {
        var source = self
        if let treatment { source.name += ", \(treatment)" }
        return source
    }
}

extension Failure {
    /// Stages make no JPEG frames.
    static func notJPEG(_ path: String, hint: String) -> Failure {
        .frameFile(
            .badSettings("\(path): fused and steadied frames are not JPEG, as .mjpg files have them", hint: hint))
    }
}
