// SPDX-License-Identifier: MIT
// Fused pictures to JPEG: plane by plane where the colours are JFIF's, through R'G'B' otherwise.

import Frames
import FusionKernels
import JPEG

extension JPEGEncoder {
    /// A fused picture as a file's bytes, at a quality from 1 to 100.
    public mutating func encode(
        _ picture: FusedPicture, quality: Int, metadata: PhotoMetadata? = nil
    ) throws(JPEGError) -> [UInt8] {
        let decoder = ColorDecoder(picture.colorimetry)
        if picture.chroma == .none || decoder.matrix.weights == Colorimetry.Matrix.bt601.weights {
            return try encodePlanes(picture, decoder.range, quality, metadata)
        }
        let rows = PictureRows(picture), size = picture.size
        var pixels = [UInt8](repeating: 0, count: 3 * size.area)
        pixels.withUnsafeMutableBufferPointer { pixels in
            for y in 0..<size.height { rows.bytes(y, into: pixels.baseAddress! + 3 * size.width * y) }
        }
        return try encodeRGB(pixels.span.bytes, size: size, sampling: picture.chroma.sampling, quality: quality) {
            metadata.file($0, picture.colorimetry)
        }
    }

    /// Nothing is resampled: samples are rounded to 8 bits, and their range becomes the full one.
    private mutating func encodePlanes(
        _ picture: FusedPicture, _ range: Colorimetry.Range, _ quality: Int, _ metadata: PhotoMetadata?
    ) throws(JPEGError) -> [UInt8] {
        guard let layout = PlanarLayout(size: picture.size, sampling: picture.chroma.sampling) else {
            throw .unencodable("\(picture.size) is no size of a JPEG picture")
        }
        var samples = [UInt8](repeating: 0, count: layout.byteCount)
        samples.withUnsafeMutableBufferPointer { samples in
            for (index, (plane, place)) in zip(picture.planes, layout.planes).enumerated() {
                let stretch = Stretch(range, isChroma: index > 0)
                for y in 0..<place.rows {
                    let row = samples.baseAddress! + place.offset + y * place.stride
                    stretch.bytes(
                        plane.samples.baseAddress! + min(y, plane.height - 1) * plane.width, count: plane.width,
                        into: row)
                    // At odd sizes the codec reads a column and a row more than pictures have.
                    for x in plane.width..<max(plane.width, place.rowBytes) { row[x] = row[plane.width - 1] }
                }
            }
        }
        return try encode(samples.span.bytes, layout: layout, quality: quality) {
            metadata.file($0, picture.colorimetry)
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
