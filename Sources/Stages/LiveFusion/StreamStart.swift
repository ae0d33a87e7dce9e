// SPDX-License-Identifier: MIT
// How a stream of frames to fuse begins: with a frame that shows what frames decode to.

import Camera
import FrameRing
import LivecapDeveloping
import LivecapFrames

/// The frames of a stream from its first one on, and what they decode to.
struct StreamStart: ~Copyable {
    let shape: FrameShape
    var frames: FrameSubscription
    /// The frame that showed the shape; nil if none was needed.
    var first: FrameLease?

    /// Takes the first frame if frames are compressed. While there is none, `wait` sleeps until one with a counter may
    /// be there, and returns true to give up. Nil then, and if the stream ends without a frame. `passed` hears of each
    /// frame that shows nothing, and may give up, too.
    /// - Throws: `badSettings` for formats that cannot be fused, and what `passed` throws.
    init?(
        _ ring: Ring, _ subscription: consuming FrameSubscription, passed: () throws(CameraError) -> Void = {},
        _ wait: (UInt64) -> Bool
    ) throws(CameraError) {
        let source = ring.format
        guard source.pixelFormat.isJPEG else {
            guard let raw = FrameShape(raw: source) else { throw .unsuitable(source, treated: "fused") }
            shape = raw
            frames = subscription
            first = nil
            return
        }
        guard let judge = try? FrameJudge() else { throw .unsuitable(source, treated: "fused") }
        while true {
            switch subscription.poll() {
            case .timedOut: if wait(subscription.nextCounter) { return nil }
            case .ended: return nil
            case .frame(let lease):
                guard lease.metadata.isUsable, let found = lease.withBytes({ judge.shape(of: $0, in: source) }) else {
                    try passed()
                    continue
                }
                shape = found
                frames = subscription
                first = consume lease
                return
            }
        }
    }
}
