// SPDX-License-Identifier: MIT
// The ring of every source that brings its frames into memory of our own.

import FrameRing
import Frames

/// A ring in memory of our own with as much of `capacity` as its byte cap has room for: compact for compressed formats,
/// fixed slots for the others. `reserve` slots are kept for the producer.
func makeSlabRing(
    _ capacity: RingCapacity, format: FrameFormat, rate: FrameRate?, reserve: Int = 1
) throws(CameraError) -> (ring: FrameRing, granted: GrantedCapacity) {
    guard let plan = capacity.plan(format: format, rate: rate, reserve: reserve) else {
        throw .tooLittleMemory(capacity, format: format, reserve: reserve)
    }
    guard let made = FrameRing.slabs(plan, format: format) else { throw .noMemory(bytes: plan.bytes) }
    return made
}

extension CameraError {
    /// The byte cap has no room for the smallest ring.
    static func tooLittleMemory(_ capacity: RingCapacity, format: FrameFormat, reserve: Int) -> CameraError {
        let fewest = RingCapacity.fewestBytes(format: format, reserve: reserve)
        return .badSettings(
            "\(capacity.byteCap) bytes are too few for a history of \(format.size) \(format.pixelFormat) frames",
            hint: "allow at least \(fewest) bytes")
    }
}
