// SPDX-License-Identifier: MIT
// Takes a photo whenever it is sent SIGUSR1.

import LiveCapture
import Shutter

SignalShutter.installHandlers()

let scene = try SyntheticSettings("handheld:prerender=8")
let session = try await CaptureSession(source: .synthetic(scene, size: FrameSize(width: 640, height: 480)))
try await session.start()

let shutter = try SignalShutter()
print("ready")
var count = 0
for await case .pressed(let time) in shutter.events {
    count += 1
    print("press \(count) at \(time.nanoseconds) ns")
    if count == 3 { break }
}
shutter.close()
await session.stop()
