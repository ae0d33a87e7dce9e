// SPDX-License-Identifier: MIT
// Stills to HEIC files, over libheif.

import Cheif
import Frames
import FusionKernels

/// Makes HEIC files: HEVC pictures, about half a JPEG's size for the same looks. Y'CbCr stays what it is, with the code
/// points that say what that is; chroma is 4:2:0, which is what every reader takes. Turned by the file's own boxes, but
/// mirrored pixel by pixel: not every reader can mirror more than 8 bits.
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
        let isGrey = picture.chroma == .none
        let image = try HEIFImage(
            picture.size, isGrey ? heif_colorspace_monochrome : heif_colorspace_YCbCr,
            isGrey ? heif_chroma_monochrome : heif_chroma_420)
        let isMirrored = metadata?.orientation.isMirrored ?? false
        let bits = depth.rawValue
        try image.fill(heif_channel_Y, picture.size, bits: bits) { y, row in
            let samples = picture.planes[0].row(y)
            RowSums(samples, samples, isMirrored: isMirrored, isPaired: false).write(bits: bits, to: row)
        }
        if !isGrey {
            let half = FrameSize(width: (picture.size.width + 1) / 2, height: (picture.size.height + 1) / 2)
            // Mirrored, the pixels that share a sample are others where there is an odd one out.
            let isPaired = isMirrored && picture.size.width % 2 == 1
            for (channel, plane) in [(heif_channel_Cb, picture.planes[1]), (heif_channel_Cr, picture.planes[2])] {
                try image.fill(channel, half, bits: bits) { y, row in
                    let first = picture.chroma == .quads ? y : 2 * y
                    let second = picture.chroma == .quads ? y : min(2 * y + 1, plane.height - 1)
                    RowSums(plane.row(first), plane.row(second), isMirrored: isMirrored, isPaired: isPaired)
                        .write(bits: bits, to: row)
                }
            }
        }
        return try file(image, picture.size, picture.colorimetry, metadata)
    }

    /// Red, green and blue bytes of full range, rows without padding, as a file of 8 bits a sample.
    public func encode(
        rgb24 pixels: [UInt8], size: FrameSize, _ colorimetry: Colorimetry, metadata: PhotoMetadata? = nil
    ) throws(StillError) -> [UInt8] {
        precondition(pixels.count == 3 * size.area, "three bytes a pixel")
        let isMirrored = metadata?.orientation.isMirrored ?? false
        let image = try HEIFImage(size, heif_colorspace_RGB, heif_chroma_interleaved_RGB)
        try image.fill(heif_channel_interleaved, size, bits: 8) { y, row in
            let bytes = row.assumingMemoryBound(to: UInt8.self)
            for x in 0..<size.width {
                let source = 3 * (size.width * y + (isMirrored ? size.width - 1 - x : x))
                for channel in 0..<3 { bytes[3 * x + channel] = pixels[source + channel] }
            }
        }
        // The library makes Y'CbCr of it, by what the file is then said to be.
        let made = Colorimetry(
            range: .full, matrix: .bt601, transfer: colorimetry.transfer, primaries: colorimetry.primaries)
        return try file(image, size, made, metadata)
    }

    private func file(
        _ image: HEIFImage, _ size: FrameSize, _ colorimetry: Colorimetry, _ metadata: PhotoMetadata?
    ) throws(StillError) -> [UInt8] {
        try image.describe(colorimetry)
        let writing = try HEIFWriting(quality: quality)
        // A turned picture is turned by the file's boxes; a reader that obeys Exif as well would turn it twice.
        var upright = metadata
        upright?.orientation = .up
        return try writing.file(
            image, orientation: metadata?.orientation.turn ?? .up, exif: upright?.exif(of: size, colorimetry),
            xmp: metadata?.xmp)
    }
}

/// A row in the making: the mean of two rows, of samples of 16 bits (codes times 256).
private struct RowSums {
    private let above: UnsafeBufferPointer<UInt16>
    private let below: UnsafeBufferPointer<UInt16>
    private let isMirrored: Bool
    private let isPaired: Bool

    /// Mirrored if so said, and then, if paired, the mean of samples side by side.
    init(
        _ above: UnsafeBufferPointer<UInt16>, _ below: UnsafeBufferPointer<UInt16>, isMirrored: Bool, isPaired: Bool
    ) {
        (self.above, self.below, self.isMirrored, self.isPaired) = (above, below, isMirrored, isPaired)
    }

    /// Writes samples of so many bits, rounded, as libheif has them: bytes, or words of two.
    func write(bits: Int, to row: UnsafeMutableRawPointer) {
        // Four samples are summed in all, of which some may be the same.
        let (shift, largest) = (UInt32(18 - bits), UInt32(1) << UInt32(bits) - 1)
        for x in above.indices {
            let sample = min((sum(x) &+ 1 << (shift - 1)) &>> shift, largest)
            if bits == 8 {
                row.storeBytes(of: UInt8(truncatingIfNeeded: sample), toByteOffset: x, as: UInt8.self)
            } else {
                row.storeBytes(of: UInt16(truncatingIfNeeded: sample), toByteOffset: 2 * x, as: UInt16.self)
            }
        }
    }

    private func sum(_ x: Int) -> UInt32 {
        let place = isMirrored ? above.count - 1 - x : x
        let other = isPaired ? max(place - 1, 0) : place
        return (UInt32(above[place]) &+ UInt32(below[place])) &+ (UInt32(above[other]) &+ UInt32(below[other]))
    }
}

extension FusedPicture.Plane {
    /// The samples of a row.
    fileprivate func row(_ y: Int) -> UnsafeBufferPointer<UInt16> {
        UnsafeBufferPointer(rebasing: samples[(y * width)..<((y + 1) * width)])
    }
}
