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
