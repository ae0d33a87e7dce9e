// SPDX-License-Identifier: MIT
// Fused pictures to JPEG: plane by plane where the colours are JFIF's, through R'G'B' otherwise.

import Frames
import FusionKernels
import JPEG

extension StripedJPEGEncoder {
    /// A fused picture as a file's bytes, at a quality from 1 to 100, by the threads of `pool`.
    public func encode(
        _ picture: FusedPicture, quality: Int, metadata: PhotoMetadata? = nil, pool: any FusionPool = CallersThread()
    ) throws(JPEGError) -> [UInt8] {
        let decoder = ColorDecoder(picture.colorimetry), sampling = picture.chroma.sampling
        let isAsJPEG = picture.chroma == .none || decoder.matrix.weights == Colorimetry.Matrix.bt601.weights
        nonisolated(unsafe) let picture = picture  // only read until all strips are done
        let file =
            if isAsJPEG {
                // Nothing is resampled: samples are rounded to 8 bits, and their range becomes the full one.
                try encode(picture.size, sampling, quality: quality, on: pool.run) { strip, memory in
                    picture.put(strip, decoder.range, into: memory)
                }
            } else {
                try encodeRGB(picture.size, sampling, quality: quality, on: pool.run) { strip, memory in
                    let rows = PictureRows(picture), width = 3 * picture.size.width
                    for (place, y) in strip.rows.enumerated() {
                        rows.bytes(y, into: memory.baseAddress!.assumingMemoryBound(to: UInt8.self) + place * width)
                    }
                }
            }
        return metadata.file(file, picture.colorimetry)
    }
}

extension FusedPicture {
    /// Puts a strip's samples where its layout says.
    fileprivate func put(
        _ strip: StripedJPEGEncoder.Strip, _ range: Colorimetry.Range, into memory: UnsafeMutableRawBufferPointer
    ) {
        for (index, (plane, place)) in zip(planes, strip.layout.planes).enumerated() {
            let stretch = Stretch(range, isChroma: index > 0)
            let first = index > 0 && chroma == .quads ? strip.rows.lowerBound / 2 : strip.rows.lowerBound
            for y in 0..<place.rows {
                let row = memory.baseAddress!.assumingMemoryBound(to: UInt8.self) + place.offset + y * place.stride
                stretch.bytes(
                    plane.samples.baseAddress! + min(first + y, plane.height - 1) * plane.width, count: plane.width,
                    into: row)
                // At odd sizes the codec reads a column and a row more than pictures have.
                for x in plane.width..<max(plane.width, place.rowBytes) { row[x] = row[plane.width - 1] }
            }
        }
    }
}

/// Samples of 16 bits (codes times 256) to bytes of full range.
private struct Stretch {
    private let zero: Int32
    private let factor: Int32
    private let target: Int32

    /// Twenty bits keep the largest product below 2 to the 31st.
    private static let one = 1_048_576.0

    init(_ range: Colorimetry.Range, isChroma: Bool) {
        let scale = range == .full ? 1 : 255 / (isChroma ? 224.0 : 219.0)
        zero = isChroma ? 128 << 8 : range == .full ? 0 : 16 << 8
        factor = Int32((scale / 256 * Self.one).rounded())
        target = ((isChroma ? 128 : 0) << 20) + 1 << 19
    }

    func bytes(_ samples: UnsafePointer<UInt16>, count: Int, into bytes: UnsafeMutablePointer<UInt8>) {
        for x in 0..<count {
            let level = ((Int32(samples[x]) &- zero) &* factor &+ target) &>> 20
            bytes[x] = UInt8(truncatingIfNeeded: min(max(level, 0), 255))
        }
    }
}

extension ChromaGrid {
    /// As JPEG calls it.
    fileprivate var sampling: ChromaSampling {
        switch self {
        case .none: .grey
        case .pairs: .s422
        case .quads: .s420
        }
    }
}
