// SPDX-License-Identifier: MIT
// Encodes stills as HEIC files with libheif.

import Fusion
import LivecapCStills
import LivecapFrames

/// Creates HEIC files: HEVC pictures, about half the size of a JPEG that looks the same. Y'CbCr is kept as it is, with
/// the code points that describe it. Chroma is 4:2:0, which every reader supports. Pictures are rotated and mirrored
/// pixel by pixel: newer versions of libheif reject what Debian's version writes for a rotated picture, and not every
/// reader can mirror more than 8 bits.
///
/// Encoding throws `unavailable` if there is no libheif on this machine, or one without an HEVC encoder;
/// `StillFormat.checkEncoder` finds out before.
package struct HEICEncoder: Sendable {
    /// Bits per sample.
    package enum Depth: Int, Sendable, CaseIterable {
        /// Rounded to 8 bits, for readers that support no more.
        case eight = 8
        /// Two more bits, which a fused still has.
        case ten = 10
        /// For pictures of files that have as many.
        case twelve = 12
    }

    /// The number of bits per sample.
    package var depth: Depth
    /// The quality, from 1 (small) to 100.
    package var quality: Int

    /// Creates an encoder that writes `depth` bits per sample.
    package init(depth: Depth = .ten, quality: Int) { (self.depth, self.quality) = (depth, quality) }

    /// Encodes a fused picture as a file. If it was made of `source`, its colours are described as in that file.
    package func encode(
        _ picture: FusedPicture, of source: FinePicture? = nil, metadata: PhotoMetadata? = nil
    ) throws(StillError) -> [UInt8] {
        let orientation = metadata?.orientation ?? .up
        let size = orientation.shown(picture.size)
        let isGrey = picture.chroma == .none
        let library = try HEIFLibrary()
        let image = try HEIFImage(
            library, size, space: isGrey ? lc_heif_space_grey : lc_heif_space_ycbcr,
            chroma: isGrey ? lc_heif_chroma_none : lc_heif_chroma_420)
        let bits = depth.rawValue
        let range = ColorDecoder(picture.colorimetry).range
        let luma = SampleCodes(bits: bits, range, isChroma: false)
        let chroma = SampleCodes(bits: bits, range, isChroma: true)
        try image.fill(lc_heif_channel_y, size, bits: bits) { y, row in
            let plane = picture.planes[0]
            luma.write(size.width, to: row) { x in
                let pixel = orientation.pixel(shownAt: x, y, of: picture.size)
                return 4 &* UInt32(plane.samples[pixel.y &* plane.width &+ pixel.x])
            }
        }
        if !isGrey {
            let half = FrameSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
            for (channel, plane) in [(lc_heif_channel_cb, picture.planes[1]), (lc_heif_channel_cr, picture.planes[2])] {
                try image.fill(channel, half, bits: bits) { y, row in
                    chroma.write(half.width, to: row) { x in
                        ChromaSum(picture, plane, orientation).ofPixels(shownFrom: 2 &* x, 2 &* y)
                    }
                }
            }
        }
        return try file(
            library, image: image, size: size, colorimetry: picture.colorimetry, source?.colours, metadata: metadata)
    }

    /// Encodes full-range red, green and blue bytes, in rows without padding, as a file with 8 bits per sample.
    package func encode(
        rgb24 pixels: [UInt8], size: FrameSize, _ colorimetry: Colorimetry, metadata: PhotoMetadata? = nil
    ) throws(StillError) -> [UInt8] {
        precondition(pixels.count == 3 * size.area, "three bytes a pixel")
        let orientation = metadata?.orientation ?? .up
        let shown = orientation.shown(size)
        let library = try HEIFLibrary()
        let image = try HEIFImage(library, shown, space: lc_heif_space_rgb, chroma: lc_heif_chroma_rgb24)
        try image.fill(lc_heif_channel_rgb, shown, bits: 8) { y, row in
            let bytes = row.assumingMemoryBound(to: UInt8.self)
            for x in 0..<shown.width {
                let pixel = orientation.pixel(shownAt: x, y, of: size)
                let source = 3 * (size.width * pixel.y + pixel.x)
                for channel in 0..<3 { bytes[3 * x + channel] = pixels[source + channel] }
            }
        }
        // libheif converts to Y'CbCr according to the colorimetry that the file declares.
        let made = Colorimetry(
            range: .full, matrix: .bt601, transfer: colorimetry.transfer, primaries: colorimetry.primaries)
        return try file(library, image: image, size: shown, colorimetry: made, metadata: metadata)
    }

    private func file(
        _ library: HEIFLibrary, image: HEIFImage, size: FrameSize, colorimetry: Colorimetry,
        _ colours: FileColours? = nil, metadata: PhotoMetadata?
    ) throws(StillError) -> [UInt8] {
        let codes = CodePoints(colorimetry)
        try image.describe(colours?.codes(inPlaceOf: codes) ?? codes)
        let writing = try HEIFWriting(library, quality: quality)
        // The pixels are already rotated, so a reader that obeys Exif must not rotate them again.
        var upright = metadata
        upright?.orientation = .up
        return try writing.file(image, exif: upright?.exif(of: size, colorimetry), xmp: metadata?.xmp)
    }
}

/// The pixels that share one chroma sample of the file: four pixels as shown, with the last ones repeated at the edges.
/// At odd sizes, rotating or mirroring groups pixels differently than in the still.
private struct ChromaSum {
    private let size: FrameSize
    /// Pixels share a sample if their places differ in these last bits only.
    private let shifts: (across: Int, down: Int)
    private let plane: FusedPicture.Plane
    private let orientation: PhotoOrientation
    private let last: (x: Int, y: Int)

    init(_ picture: FusedPicture, _ plane: FusedPicture.Plane, _ orientation: PhotoOrientation) {
        size = picture.size
        shifts = (picture.chroma.across / 2, picture.chroma.down / 2)
        self.plane = plane
        self.orientation = orientation
        let shown = orientation.shown(size)
        last = (shown.width &- 1, shown.height &- 1)
    }

    /// The sum of the four pixels' samples, in codes times 256.
    func ofPixels(shownFrom x: Int, _ y: Int) -> UInt32 {
        let (right, below) = (min(x &+ 1, last.x), min(y &+ 1, last.y))
        return (sample(x, y) &+ sample(right, y)) &+ (sample(x, below) &+ sample(right, below))
    }

    private func sample(_ x: Int, _ y: Int) -> UInt32 {
        let pixel = orientation.pixel(shownAt: x, y, of: size)
        return UInt32(plane.samples[(pixel.y &>> shifts.down) &* plane.width &+ pixel.x &>> shifts.across])
    }
}

/// How samples become the codes of a file, as ITU-T H.273 defines them.
private struct SampleCodes {
    let bits: Int
    private let zero: Int64
    /// In units of 2^-32.
    private let factor: Int64
    private let target: Int64
    private let largest: Int64

    /// Codes of `bits` bits for brightness or chroma. With more bits, limited ranges get larger by a power of two; full
    /// ranges have the largest code for white.
    init(bits: Int, _ range: Colorimetry.Range, isChroma: Bool) {
        self.bits = bits
        largest = 1 << Int64(bits) - 1
        let middle = Int64(1) << Int64(bits - 1)
        zero = isChroma ? 4 * 32768 : 0
        target = (isChroma ? middle << 32 : 0) + 1 << 31
        // Four times white: 255 codes times 256.
        factor = range == .full ? ((largest << 32) + 130_560) / 261_120 : 1 << Int64(14 + bits)
    }

    /// Writes a row, rounded, in libheif's form: bytes, or 16-bit words. `sum` returns four times a sample in codes
    /// times 256.
    func write(_ count: Int, to row: UnsafeMutableRawPointer, _ sum: (Int) -> UInt32) {
        for x in 0..<count {
            let code = min(max((((Int64(sum(x)) &- zero) &* factor) &+ target) &>> 32, 0), largest)
            if bits == 8 {
                row.storeBytes(of: UInt8(truncatingIfNeeded: code), toByteOffset: x, as: UInt8.self)
            } else {
                row.storeBytes(of: UInt16(truncatingIfNeeded: code), toByteOffset: 2 * x, as: UInt16.self)
            }
        }
    }
}
