// SPDX-License-Identifier: MIT
// Encodes fused pictures as JPEG: plane by plane if their colours are JFIF's, and through R'G'B' otherwise.

import Fusion
import LivecapFrames
import LivecapJPEG

extension StripedJPEGEncoder {
    /// Encodes a fused picture as a file at a quality from 1 to 100, on the threads of `pool`.
    package func encode(
        _ picture: FusedPicture, quality: Int, metadata: PhotoMetadata? = nil, pool: any FusionPool = CallersThread()
    ) throws(JPEGError) -> [UInt8] {
        let decoder = ColorDecoder(picture.colorimetry), sampling = picture.chroma.sampling
        let isAsJPEG = picture.chroma == .none || decoder.matrix.weights == Colorimetry.Matrix.bt601.weights
        nonisolated(unsafe) let picture = picture  // only read, until all strips are done
        let file =
            if isAsJPEG {
                // Nothing is resampled: samples are rounded to 8 bits and expanded to full range.
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
    /// Writes a strip's samples according to its layout.
    fileprivate func put(
        _ strip: StripedJPEGEncoder.Strip, _ range: Colorimetry.Range, into memory: UnsafeMutableRawBufferPointer
    ) {
        for (index, (plane, place)) in zip(planes, strip.layout.planes).enumerated() {
            let stretch = ByteStretch(range, isChroma: index > 0)
            let first = index > 0 && chroma == .quads ? strip.rows.lowerBound / 2 : strip.rows.lowerBound
            for y in 0..<place.rows {
                let row = memory.baseAddress!.assumingMemoryBound(to: UInt8.self) + place.offset + y * place.stride
                put(row: min(first + y, plane.height - 1), of: plane, by: stretch, into: row)
                // At odd sizes, the codec reads one column and row more than the picture has.
                for x in plane.width..<max(plane.width, place.rowBytes) { row[x] = row[plane.width - 1] }
            }
        }
    }
}

extension ChromaGrid {
    /// The grid as a JPEG chroma sampling.
    fileprivate var sampling: ChromaSampling {
        switch self {
        case .none: .grey
        case .singles: .s444
        case .pairs: .s422
        case .quads: .s420
        }
    }
}
