// SPDX-License-Identifier: MIT
// The smaller products, each by itself: a scene through the ring into a still, without a session.

import Camera
import Fusion
import Shutter
import StandIns

let camera = try SyntheticCamera(
    SyntheticSettings("tripod:frames=8"), size: FrameSize(width: 64, height: 48), pace: .realtime)
let format = camera.description.format
let loop = try CaptureLoop(camera)
loop.start()
var subscription = FrameSubscription(to: loop.ring, fromOldest: true)
let fuser = try Fuser(format)
var frames: [FusionFrame] = []
reading: while true {
    switch subscription.next() {
    case .frame(let lease):
        let frame = fuser.makeFrame()
        try lease.withBytes { bytes in try fuser.prepare(bytes, into: frame) }
        frames.append(frame)
    case .timedOut: continue
    case .ended: break reading
    }
}
loop.stop()
let picture = fuser.makePicture()
_ = try fuser.fuse(frames, reference: frames.count / 2, into: picture)
let brightest = picture.withPlane(0) { rows in rows.words(24)[32] } ?? 0
print("\(frames.count) frames fused, middle \(brightest / 256); \(standIns()) other C modules")
let burst = HoldBurst(interval: .milliseconds(33))
print("a held button taps every \(burst.interval)")
