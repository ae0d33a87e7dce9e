// SPDX-License-Identifier: MIT
// Stills to HEIC files, over libheif.

import Cheif
import Frames
import FusionKernels

/// Makes HEIC files: HEVC pictures, about half a JPEG's size for the same looks. Y'CbCr stays what it is, with the code
/// points that say what that is; chroma is 4:2:0, which is what every reader takes. Pictures are turned and mirrored pixel by
/// pixel: what Debian's libheif writes of a turned picture, newer ones refuse, and not every reader mirrors more than 8 bits.
public struct HEICEncoder: Sendable {
    /// Bits a sample.
    public enum Depth: Int, Sendable, CaseIterable {
        /// Rounded to 8 bits: for readers that know no more.
        case eight = 8
        /// Two more, which a fused still has.
        case ten = 10
    }

    /// How many bits a sample is written with.
    public var depth: Depth
    /// From 1, small, to 100.
    public var quality: Int

    /// An encoder that writes so many bits a sample.
    public init(depth: Depth = .ten, quality: Int) { (self.depth, self.quality) = (depth, quality) }

    /// A fused picture as a file's bytes.
    public func encode(_ picture: FusedPicture, metadata: PhotoMetadata? = nil) throws(StillError) -> [UInt8] {
        let orientation = metadata?.orientation ?? .up
        let size = orientation.shown(picture.size)
        let isGrey = picture.chroma == .none
        let image = try HEIFImage(
            size, isGrey ? heif_colorspace_monochrome : heif_colorspace_YCbCr,
            isGrey ? heif_chroma_monochrome : heif_chroma_420)
        let bits = depth.rawValue
        try image.fill(heif_channel_Y, size, bits: bits) { y, row in
            let luma = picture.planes[0]
            write(bits: bits, count: size.width, to: row) { x in
                let pixel = orientation.pixel(shownAt: x, y, of: picture.size)
                return 4 &* UInt32(luma.samples[pixel.y &* luma.width &+ pixel.x])
            }
        }
        if !isGrey {
            let half = FrameSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
            for (channel, plane) in [(heif_channel_Cb, picture.planes[1]), (heif_channel_Cr, picture.planes[2])] {
                try image.fill(channel, half, bits: bits) { y, row in
                    write(bits: bits, count: half.width, to: row) { x in
                        ChromaSum(picture, plane, orientation).ofPixels(shownFrom: 2 &* x, 2 &* y)
                    }
                }
            }
        }
        return try file(image, size, picture.colorimetry, metadata)
    }

    /// Red, green and blue bytes of full range, rows without padding, as a file of 8 bits a sample.
    public func encode(
        rgb24 pixels: [UInt8], size: FrameSize, _ colorimetry: Colorimetry, metadata: PhotoMetadata? = nil
    ) throws(StillError) -> [UInt8] {
        precondition(pixels.count == 3 * size.area, "three bytes a pixel")
        let orientation = metadata?.orientation ?? .up
        let shown = orientation.shown(size)
        let image = try HEIFImage(shown, heif_colorspace_RGB, heif_chroma_interleaved_RGB)
        try image.fill(heif_channel_interleaved, shown, bits: 8) { y, row in
            let bytes = row.assumingMemoryBound(to: UInt8.self)
            for x in 0..<shown.width {
                let pixel = orientation.pixel(shownAt: x, y, of: size)
                let source = 3 * (size.width * pixel.y + pixel.x)
                for channel in 0..<3 { bytes[3 * x + channel] = pixels[source + channel] }
            }
        }
        // The library makes Y'CbCr of it, by what the file is then said to be.
        let made = Colorimetry(
            range: .full, matrix: .bt601, transfer: colorimetry.transfer, primaries: colorimetry.primaries)
        return try file(image, shown, made, metadata)
    }

    private func file(
        _ image: HEIFImage, _ size: FrameSize, _ colorimetry: Colorimetry, _ metadata: PhotoMetadata?
    ) throws(StillError) -> [UInt8] {
        try image.describe(colorimetry)
        let writing = try HEIFWriting(quality: quality)
        // The picture is turned; a reader that obeys Exif is not to turn it again.
        var upright = metadata
        upright?.orientation = .up
        return try writing.file(image, exif: upright?.exif(of: size, colorimetry), xmp: metadata?.xmp)
    }
}

/// What shares a chroma sample of the file: four pixels as they are shown, the last ones again where the picture ends. Turned
/// or mirrored they are others than in the still where there is an odd one out.
private struct ChromaSum {
    private let size: FrameSize
    private let grid: ChromaGrid
    private let plane: FusedPicture.Plane
    private let orientation: PhotoOrientation
    private let last: (x: Int, y: Int)

    init(_ picture: FusedPicture, _ plane: FusedPicture.Plane, _ orientation: PhotoOrientation) {
        (size, grid) = (picture.size, picture.chroma)
        (self.plane, self.orientation) = (plane, orientation)
        let shown = orientation.shown(size)
        last = (shown.width &- 1, shown.height &- 1)
    }

    /// The sum of the four pixels' samples, codes times 256.
    func ofPixels(shownFrom x: Int, _ y: Int) -> UInt32 {
        let (right, below) = (min(x &+ 1, last.x), min(y &+ 1, last.y))
        return (sample(x, y) &+ sample(right, y)) &+ (sample(x, below) &+ sample(right, below))
    }

    private func sample(_ x: Int, _ y: Int) -> UInt32 {
        let pixel = orientation.pixel(shownAt: x, y, of: size)
        let row = grid == .quads ? pixel.y / 2 : pixel.y
        return UInt32(plane.samples[row &* plane.width &+ pixel.x / 2])
    }
}

/// Writes samples of so many bits, rounded, as libheif has them, bytes or words of two: a quarter of what `sum` gives, which is
/// of codes times 256.
private func write(bits: Int, count: Int, to row: UnsafeMutableRawPointer, _ sum: (Int) -> UInt32) {
    let (shift, largest) = (UInt32(18 - bits), UInt32(1) << UInt32(bits) - 1)
    for x in 0..<count {
        let sample = min((sum(x) &+ 1 << (shift - 1)) &>> shift, largest)
        if bits == 8 {
            row.storeBytes(of: UInt8(truncatingIfNeeded: sample), toByteOffset: x, as: UInt8.self)
        } else {
            row.storeBytes(of: UInt16(truncatingIfNeeded: sample), toByteOffset: 2 * x, as: UInt16.self)
        }
    }
}
