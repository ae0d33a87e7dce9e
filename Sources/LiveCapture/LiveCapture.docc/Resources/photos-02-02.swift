// SPDX-License-Identifier: MIT
// Takes photos of a scene, now and in the past.

import LiveCapture

let scene = try SyntheticSettings("handheld:prerender=8")
let session = try await CaptureSession(source: .synthetic(scene, size: FrameSize(width: 640, height: 480)))
try await session.start()
let photo = try await session.photoOutput.photo()
print("\(photo.size), \(photo.used.count) frames, \(photo.lag) from the moment")

try await Task.sleep(for: .milliseconds(500))
let file = try await PhotoFiles.open("seen.jpg", mayReplace: true)
let seen = try await session.photoOutput.photo(
    PhotoSettings(quality: .balanced), at: .offset(.milliseconds(-250)), into: file)
print("\(seen.file ?? "no file"), taken \(seen.requested - seen.reference.time) before the call")

await session.stop()
