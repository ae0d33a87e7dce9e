// SPDX-License-Identifier: MIT
// A source of its own, started twice, and its frames read as they come.

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
    var frames = session.frames(.every)
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
