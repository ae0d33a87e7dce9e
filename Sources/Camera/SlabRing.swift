// SPDX-License-Identifier: MIT
// The ring of every source that writes its frames into our own memory.

import FrameRing
import LivecapFrames

/// Creates a ring in our own memory, with as much of `capacity` as the byte cap allows: compact for compressed formats,
/// fixed slots for others. `reserve` slots are kept for the producer.
package func makeSlabRing(
    _ capacity: RingCapacity, format: FrameFormat, rate: FrameRate?, reserve: Int = 1, usualBytes: Int = 0
) throws(CameraError) -> (ring: Ring, granted: GrantedCapacity) {
    guard let plan = capacity.plan(format: format, rate: rate, reserve: reserve, usualBytes: usualBytes) else {
        throw .tooLittleMemory(capacity, format: format, reserve: reserve)
    }
    guard let made = Ring.slabs(plan, format: format) else { throw .noMemory(bytes: plan.bytes) }
    return made
}

extension CameraError {
    /// The error for a byte cap too small for the smallest ring.
    static func tooLittleMemory(_ capacity: RingCapacity, format: FrameFormat, reserve: Int) -> CameraError {
        let fewest = RingCapacity.minBytes(format: format, reserve: reserve)
        return .badSettings(
            "\(capacity.byteCap) bytes are too few for a history of \(format.size) \(format.pixelFormat) frames",
            hint: "allow at least \(fewest) bytes")
    }
}
