// SPDX-License-Identifier: MIT
// The work on a frame that every shot of it shares.

import CFusionKernels
import Frames
import Threads

/// Prepares frames of one format.
struct FramePreparer: Sendable {
    private let format: FrameFormat
    private let unpacker: Unpacker
    private let shrinker: Shrinker
    /// The bytes of a frame, which a format does not tell without asking for memory.
    private let neededBytes: Int

    init(_ format: FrameFormat, _ kernels: UnsafePointer<fusion_kernels>) {
        self.format = format
        (unpacker, shrinker, neededBytes) = (Unpacker(format, kernels), Shrinker(kernels), format.neededBytes)
    }

    func prepare(_ bytes: RawSpan, into frame: FusionFrame, _ pool: any FusionPool) throws(FusionError) {
        guard frame.format == format else { throw .foreignFormat(frame.format) }
        guard bytes.byteCount >= neededBytes else {
            throw .shortFrame(bytes: bytes.byteCount, needed: neededBytes)
        }
        let bands = (format.size.height + Shrinker.bandRows - 1) / Shrinker.bandRows
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

extension Fuser {
    /// Does the work on a frame that every shot of it shares. No fusion may be reading `frame`.
    public func prepare(_ bytes: RawSpan, into frame: FusionFrame) throws(FusionError) {
        try preparer.prepare(bytes, into: frame, pool)
    }

    /// Does that work on several frames, each on one thread: where many are new, that is quicker than to have all threads
    /// work on one after the other.
    public func prepare(_ new: [(bytes: [UInt8], frame: FusionFrame)]) throws(FusionError) {
        let preparer = preparer, errors = Guarded<[FusionError]>([])
        pool.run(new.count) { place in
            let (bytes, frame) = new[place]
            do throws(FusionError) {
                try preparer.prepare(bytes.span.bytes, into: frame, CallersThread())
            } catch { errors.withLock { $0.append(error) } }
        }
        if let error = errors.withLock(\.first) { throw error }
    }
}
