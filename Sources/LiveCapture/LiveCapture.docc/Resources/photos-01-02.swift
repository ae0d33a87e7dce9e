// SPDX-License-Identifier: MIT
// Takes photos of a scene, now and in the past.

import LiveCapture

let scene = try SyntheticSettings("handheld:prerender=8")
let session = try await CaptureSession(source: .synthetic(scene, size: FrameSize(width: 640, height: 480)))
try await session.start()

await session.stop()
