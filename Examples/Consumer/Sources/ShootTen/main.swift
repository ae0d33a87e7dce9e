// SPDX-License-Identifier: MIT
// Shoots ten photos back to back into a library, and shows readiness meanwhile. Usage: ShootTen LIBRARY

import LiveCapture

guard CommandLine.arguments.count == 2 else { fatalError("Usage: ShootTen LIBRARY") }

var options = SessionOptions()
options.library = try await PhotoLibrary.open(CommandLine.arguments[1])
let session = try await CaptureSession(
    source: .synthetic(try SyntheticSettings("handheld:prerender=8"), size: FrameSize(width: 320, height: 240)),
    options: options)
let output = session.photoOutput

let states = Task {
    var seen: [CaptureReadiness] = []
    for await readiness in output.readiness.changes() {
        print("readiness: \(readiness.state.rawValue)")
        seen.append(readiness.state)
    }
    return seen
}
// A second reader of the session's events takes none from the first.
let readers = (0..<2).map { _ in
    Task {
        for await event in session.events where event == .running { return true }
        return false
    }
}

try await session.start()
try await output.readiness.ready()
let captures = (0..<10).map { _ in output.capture(PhotoSettings(quality: .balanced)) }
for capture in captures {
    // Both get the whole outcome.
    async let photo = capture.photo()
    async let again = capture.photo()
    let (first, second) = try await (photo, again)
    guard first.reference.id == second.reference.id else { fatalError("two readers, two photos") }
    print("photo \(capture.id): \(first.size), \(first.used.count) frames, lag \(first.lag)")
}
await session.stop()
states.cancel()
for reader in readers { guard await reader.value else { fatalError("a reader missed an event") } }
let count = try await options.library!.summary().photos
guard count == 10 else { fatalError("\(count) photos in the library") }
print("ten photos; seen: \(await states.value.map(\.rawValue))")
