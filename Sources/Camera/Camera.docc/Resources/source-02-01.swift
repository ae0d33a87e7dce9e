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
