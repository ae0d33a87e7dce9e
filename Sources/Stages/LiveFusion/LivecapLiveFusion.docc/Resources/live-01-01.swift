// SPDX-License-Identifier: MIT
// Takes pictures of a noisy scene, each fused with those before.

import LiveCapture
import LivecapLiveFusion

let scene = try SyntheticSettings("handheld:noise=6,prerender=8")
let session = try await CaptureSession(
    source: .custom { try FusedSource(CaptureLoop(SyntheticCamera(scene, pace: .realtime))) })
try await session.start()
