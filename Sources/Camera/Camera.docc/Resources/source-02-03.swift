// SPDX-License-Identifier: MIT
// Reads frames from a source of its own.

import Camera

let format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 64, height: 48))

func makeSource() -> PacedSource {
    PacedSource(name: "ramp", format: format, rate: FrameRate(100)) { number, bytes in
        for offset in 0..<bytes.byteCount {
            bytes.storeBytes(of: UInt8(truncatingIfNeeded: number), toByteOffset: offset, as: UInt8.self)
        }
        return bytes.byteCount
    }
}

let loop = try CaptureLoop(makeSource())
loop.start()

var frames = FrameSubscription(to: loop.ring)
reading: for _ in 0..<20 {
    switch frames.next() {
    case .frame(let lease):
        let brightness = lease.withPlane(0) { rows in rows[0][0] } ?? 0
        print("frame \(lease.metadata.id): \(brightness)")
    case .timedOut: continue
    case .ended: break reading
    }
}

loop.stop()
print("\(frames.missed) missed, \(loop.ring.statistics.lost) lost, state: \(loop.state)")
