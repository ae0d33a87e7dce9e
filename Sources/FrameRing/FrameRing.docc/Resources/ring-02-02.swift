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

func publishFrames(_ count: Int, with producer: inout RingProducer) {
    for number in 0..<count {
        let id = producer.publish { bytes in
            for offset in 0..<bytes.byteCount {
                bytes.storeBytes(of: UInt8(truncatingIfNeeded: number), toByteOffset: offset, as: UInt8.self)
            }
            return FrameMetadata(time: .now, byteCount: bytes.byteCount, sequence: UInt32(number))
        }
        if id == nil { producer.drop() }
    }
}

func showNewest(of ring: Ring) {
    guard let lease = ring.leaseNewest() else { return }
    let first = lease.withPlane(0) { rows in rows[0][0] } ?? 0
    print("frame \(lease.metadata.id) begins with \(first)")
}

func showWindow(around time: Timestamp, in ring: Ring) {
    guard let window = ring.window(around: time, before: 4) else { return }
    for index in 0..<window.count {
        print("frame \(window.metadata(index).id) is \(window.metadata(index).time - time) from the moment")
    }
}
