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

let session = try await CaptureSession(source: source)
for run in 1...2 {
    try await session.start()
    do {
        try await session.start()
        fatalError("started twice")
    } catch SessionError.running {}
    var frames = session.frames(.every)
    var (read, bright) = (0, 0)
    while read < 20, let frame = await frames.next() {
        bright += frame.withPlane(0) { rows in Int(rows[0][0]) } ?? 0
        read += 1
    }
    guard read == 20, bright > 0 else { fatalError("\(read) frames") }
    print("run \(run): 20 frames read, \(frames.missed) missed, \(session.statistics.lost) lost")
    await session.stop(.cancellingShots)
}
