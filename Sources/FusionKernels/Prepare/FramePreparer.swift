// SPDX-License-Identifier: MIT
// Prepares frames: the work that all shots of a frame share.

import LivecapCFusionKernels
import LivecapFrames
import LivecapThreads

/// Prepares frames of one format.
struct FramePreparer: Sendable {
    private let format: FrameFormat
    private let unpacker: Unpacker
    private let shrinker: Shrinker
    /// The number of bytes of a frame, kept because computing it from the format allocates memory.
    private let neededBytes: Int

    init(_ format: FrameFormat, _ samples: SampleLayout, _ kernels: UnsafePointer<fusion_kernels>) {
        self.format = format
        unpacker = Unpacker(format, samples, kernels)
        shrinker = Shrinker(kernels)
        neededBytes = format.neededBytes
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
                // While the rows are still in the cache.
                shrinker.shrinkInside(frame, band: band)
            }
        }
        frame.planes[0].fillMarginRows()
        for band in 0..<bands { shrinker.shrinkSeams(frame, band: band) }
        for fine in frame.fine { fine.fillMargins() }
        shrinker.shrinkFurther(frame, pool) {
            for plane in frame.planes.dropFirst() { plane.fillMarginRows() }
            shrinker.measureSlopes(frame)
        }
        shrinker.judge(frame)
    }
}

extension Fuser {
    /// Prepares a frame: does the work that all shots of it share. No fusion may be reading `frame` meanwhile.
    /// - Throws: `shortFrame` if there are fewer bytes than the format needs, `foreignFormat` for a frame of another
    ///   format.
    public func prepare(_ bytes: RawSpan, into frame: FusionFrame) throws(FusionError) {
        try preparer.prepare(bytes, into: frame, pool)
    }

    /// Prepares several frames, each on one thread. For many new frames this is faster than preparing one after the
    /// other on all threads.
    /// - Throws: `shortFrame` and `foreignFormat`, as for one frame. The other frames are prepared all the same.
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
