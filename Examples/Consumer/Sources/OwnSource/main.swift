// SPDX-License-Identifier: MIT
// A source of its own, started twice, its frames read as they come, and errors of its own.

import LiveCapture

let format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 64, height: 48))
let source = CaptureSource.custom {
    PacedSource(name: "ramp", format: format, rate: FrameRate(100)) { number, bytes in
        for offset in 0..<bytes.byteCount {
            bytes.storeBytes(of: UInt8(truncatingIfNeeded: number), toByteOffset: offset, as: UInt8.self)
        }
        return bytes.byteCount
    }
}

/// Starts the session, and reads twenty frames.
func readTwenty(_ session: CaptureSession) async throws {
    try await session.start()
    do {
        try await session.start()
        fatalError("started twice")
    } catch {
        guard error == .running else { throw error }
    }
    let frames = session.frames(.every)
    var (read, bright) = (0, 0)
    while read < 20, let frame = await frames.next() {
        bright += frame.withPlane(0) { rows in Int(rows[0][0]) } ?? 0
        read += 1
    }
    guard read == 20, bright > 0 else { fatalError("\(read) frames") }
    print("20 frames read, \(frames.missed) missed, \(session.statistics.lost) lost")
    await session.stop(.cancellingShots)
}

let session = try await CaptureSession(source: source)
for _ in 1...2 { try await readTwenty(session) }

// A stream may be kept by an actor, and be followed from the top level of a program.
actor Watcher {
    private let frames: FrameStream

    init(_ session: CaptureSession) { frames = session.frames() }

    func sawAFrame() async -> Bool { await frames.next() != nil }
}
try await session.start()
let watcher = Watcher(session)
guard await watcher.sawAFrame() else { fatalError("the actor saw no frame") }
let frames = session.frames()
guard await frames.next() != nil else { fatalError("no frame") }
let photo = try await session.photoOutput.photo(PhotoSettings(quality: .single))
print("a photo prints as one line: \(photo)")
await session.stop()

// The error of a source that cannot be made is the session's, in words of its own.
struct NoFilm: Error {}
do {
    _ = try await CaptureSession(source: .custom { throw NoFilm() })
    fatalError("a source without film")
} catch {
    print("no source: \(error)")
}
