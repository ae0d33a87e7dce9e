// SPDX-License-Identifier: MIT
// A movie of a scene that begins before it was asked for, without sound.

import LivecapMovies
import StandIns

let path = CommandLine.arguments.dropFirst().first ?? "past.mkv"
let scene = try SyntheticSettings("handheld:prerender=4")
let session = try await CaptureSession(source: .synthetic(scene, size: FrameSize(width: 320, height: 240)))
try await session.start()
try await Task.sleep(for: .seconds(1))
let movie = MovieOutput(to: path, past: .milliseconds(500))
try await session.add(movie)
try await Task.sleep(for: .milliseconds(500))
let result = await movie.finish()
await session.stop()
if let failure = result.failure { throw failure }
print("\(result.summary.frames) frames in \(result.byteCount / 1000) kB; \(standIns()) other C modules")
