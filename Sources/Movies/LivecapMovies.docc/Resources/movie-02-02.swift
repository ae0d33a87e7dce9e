// SPDX-License-Identifier: MIT
// Makes a movie that begins two seconds before it was asked for.

import LiveCapture
import LivecapMovies

var options = SessionOptions()
options.history = .seconds(5)
let scene = try SyntheticSettings("handheld:prerender=8")
let session = try await CaptureSession(
    source: .synthetic(scene, size: FrameSize(width: 640, height: 480)), options: options)
try await session.start()
try await Task.sleep(for: .seconds(3))

let movie = MovieOutput(to: "past.mkv", past: .seconds(2))
try await session.add(movie)
try await Task.sleep(for: .seconds(1))

let result = await movie.finish()
await session.stop()
if let failure = result.failure { print("\(failure.message); \(failure.hint)") }
print("\(result.summary.frames) frames in \(result.byteCount / 1000) kB")
