// SPDX-License-Identifier: MIT
// Fuses eight noisy frames into one still.

import Fusion

let format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 320, height: 240))

func noisyFrame() -> [UInt8] {
    (0..<format.byteCount).map { place in
        let truth = 40 + place % format.size.width / 2
        return UInt8(truth + Int.random(in: -12...12))
    }
}

let fuser = try Fuser(format, FusionSettings(.balanced), pool: ThreadPool())
var frames: [FusionFrame] = []
for _ in 0..<8 {
    let bytes = noisyFrame()
    let frame = fuser.makeFrame()
    try fuser.prepare(bytes.span.bytes, into: frame)
    frames.append(frame)
}
