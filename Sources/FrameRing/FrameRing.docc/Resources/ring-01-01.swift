// SPDX-License-Identifier: MIT
// Fills a ring and leases frames of it.

import FrameRing

let format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 64, height: 48))
let capacity = RingCapacity(duration: .seconds(1), byteCap: 16 << 20)
guard let plan = capacity.plan(format: format, rate: FrameRate(30)), let made = Ring.slabs(plan, format: format) else {
    fatalError("no memory for a ring")
}
let ring = made.ring
print("\(made.granted.slots) slots keep \(made.granted.duration)")
