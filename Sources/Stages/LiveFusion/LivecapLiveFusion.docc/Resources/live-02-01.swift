// SPDX-License-Identifier: MIT
// Takes pictures of a noisy scene, each fused with those before.

import LiveCapture
import LivecapLiveFusion

let scene = try SyntheticSettings("handheld:noise=6,prerender=8")
let session = try await CaptureSession(
    source: .custom { try FusedSource(CaptureLoop(SyntheticCamera(scene, pace: .realtime))) })
try await session.start()

let pictures = FrameOutput(FrameOutputSettings(pictures: PictureSettings(format: .rgb24)))
try session.add(pictures)
var count = 0
while count < 30, let picture = await pictures.next() {
    count += 1
    print("picture \(count) of \(picture.frame.time)")
}
await session.stop()
