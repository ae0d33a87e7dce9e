// SPDX-License-Identifier: MIT
// A camera's own frames of H.264, with the names of the pictures that were decoded of them.

import Camera
import FrameRing
import LiveCapture
import LivecapFrames
import LivecapMovies

/// Follows the H.264 of a camera whose pictures a session has, and finds which of it viewers can get as it is. Used by
/// one thread.
///
/// A frame and its picture have the same time. All frames are looked at in order, because each builds on the one before
/// it: one that was lost ends what can be passed on before the next key frame.
final class CameraFrames {
    /// The ring of the pictures.
    let pictures: Ring
    private let session: CaptureSession
    private let size: FrameSize
    private var frames: FrameSubscription
    private var step = PassageStep()
    private var missed: UInt64 = 0
    /// The newest parameters. A camera may send them with its first frame only.
    private var parameters: [UInt8] = []
    private var isSuitable = false
    /// Whether frames that build on others have lost one of them.
    private var isBroken = true
    /// The picture of the newest frame that was passed on.
    private(set) var lastPassed: FrameMetadata?

    /// Nil unless the session's camera gives H.264 of that size.
    init?(_ session: CaptureSession, size: FrameSize) {
        let loop = session.loop
        // Another run may begin meanwhile: both rings have to be of the same one.
        guard let compressed = loop.compressed, compressed.format.pixelFormat == .h264,
            compressed.format.size == size
        else { return nil }
        self.session = session
        self.size = size
        pictures = loop.ring
        frames = FrameSubscription(to: compressed)
    }

    /// Whether viewers get the camera's own frames now.
    var isPassing: Bool { step.isPassing }

    /// Looks at the frames up to a picture's time, and passes on what can be: as a picture's metadata, whether it needs
    /// no other, and the frame's bytes, with the parameters before a key frame that lacks them. `pass` returns whether
    /// a viewer was too slow for it.
    func advance(to time: Timestamp, _ pass: (FrameMetadata, Bool, [UInt8]) -> Bool) {
        while case .frame(let lease) = frames.poll() {
            let frame = lease.metadata
            guard frame.time <= time else { return frames.goBack(to: frame.id.counter) }
            let (head, bytes) = lease.withBytes { bytes in
                let head = H264Head(of: bytes)
                return (head, isPassing || head.picture == .independent ? bytes.withUnsafeBytes { Array($0) } : [])
            }
            note(frame, head)
            guard head.picture != .none else { continue }
            let isKey = head.picture == .independent
            let picture = pictures.lease(nearest: frame.time)?.metadata
            let hasPicture = picture.map { $0.time == frame.time && $0.isUsable } ?? false
            isBroken = !hasPicture || !isKey && isBroken
            let isPassed = step.passes(
                PassageStep.Frame(time: frame.time, isKey: isKey, isSuitable: isKey && canPass, isWhole: !isBroken))
            guard isPassed, let picture else { continue }
            lastPassed = picture
            if pass(picture, isKey, isKey && head.parameters.isEmpty ? parameters + bytes : bytes) {
                step.noteSlowViewer(at: frame.time)
            }
        }
    }

    /// A viewer was too slow for an encoded frame.
    func noteSlowViewer(at time: Timestamp) { step.noteSlowViewer(at: time) }

    /// Passes on nothing more for a while.
    func stop() { if let lastPassed { step.stop(at: lastPassed.time) } }

    private func note(_ frame: FrameMetadata, _ head: H264Head) {
        let allMissed = frames.missed
        let isFollowing = frame.isUsable && frame.lostBefore == 0 && !frame.flags.contains(.firstOfEpoch)
        if !isFollowing || allMissed != missed { isBroken = true }
        missed = allMissed
        // Parameters that come alone reach viewers with the next key frame only.
        if head.picture == .none { isBroken = true }
        guard !head.parameters.isEmpty, head.parameters != parameters else { return }
        parameters = head.parameters
        isSuitable = parameters.withUnsafeBytes { H264Sequence.isShownAtOnce($0, size: size) }
    }

    /// Whether a browser shows each frame when it comes.
    private var canPass: Bool { isSuitable && session.loop.decodingStatistics?.heldBack == 0 }
}
