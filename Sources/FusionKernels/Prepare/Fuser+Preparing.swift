// SPDX-License-Identifier: MIT
// The work on a frame that every shot of it shares.

import CFusionKernels
import Frames

extension Fuser {
    /// Does the work on a frame that every shot of it shares. No fusion may be reading `frame`.
    public func prepare(_ bytes: RawSpan, into frame: FusionFrame) throws(FusionError) {
        guard frame.format == format else { throw .foreignFormat(frame.format) }
        guard bytes.byteCount >= neededBytes else {
            throw .shortFrame(bytes: bytes.byteCount, needed: neededBytes)
        }
        let bands = (format.size.height + Shrinker.bandRows - 1) / Shrinker.bandRows
        let (unpacker, shrinker) = (unpacker, shrinker)
        bytes.withUnsafeBytes { bytes in
            nonisolated(unsafe) let bytes = bytes.baseAddress!.assumingMemoryBound(to: UInt8.self)
            pool.run(bands) { band in
                let rows = Shrinker.bandRows * band..<min(Shrinker.bandRows * (band + 1), frame.format.size.height)
                unpacker.unpack(bytes, rows, into: frame)
                // While the rows are in the cache.
                shrinker.shrinkInside(frame, band: band)
            }
        }
        frame.planes[0].fillMarginRows()
        for band in 0..<bands { shrinker.shrinkSeams(frame, band: band) }
        shrinker.shrinkFurther(frame, pool) {
            for plane in frame.planes.dropFirst() { plane.fillMarginRows() }
            shrinker.measureSlopes(frame)
        }
        shrinker.judge(frame)
    }
}
