// SPDX-License-Identifier: MIT
// Encodes stills as PNG files with libpng.

import Fusion
import LivecapCStills
import LivecapFrames

/// Creates PNG files. Colours are written as full-range R'G'B' with the chunks that describe them; pictures without
/// chroma are written as grey. Pictures are rotated and mirrored pixel by pixel, because hardly any PNG reader does
/// that.
package struct PNGEncoder: Sendable {
    /// Bits per sample.
    package enum Depth: Int, Sendable, CaseIterable {
        /// Rounded to 8 bits, for viewing.
        case eight = 8
        /// As many bits as the still has, for editing.
        case sixteen = 16
    }

    /// The number of bits per sample.
    package var depth: Depth

    /// Creates an encoder that writes `depth` bits per sample.
    package init(depth: Depth = .sixteen) { self.depth = depth }

    /// Encodes a fused picture as a file. If it was made of `source`, it has that file's samples where nothing was
    /// drawn, and its colours are described as in that file.
    package func encode(
        _ picture: FusedPicture, of source: FinePicture? = nil, metadata: PhotoMetadata? = nil
    ) throws(StillError) -> [UInt8] {
        let rows = PictureRows(picture, of: source)
        var header = lc_png_header()
        header.channels = UInt8(rows.channels)
        header.depth = UInt8(depth.rawValue)
        header.describe(picture.colorimetry, source?.colours)
        let isDeep = depth == .sixteen
        return try write(
            header, size: picture.size, colorimetry: picture.colorimetry, profile: source?.colours.profile,
            metadata: metadata
        ) { y, row in
            guard isDeep else { return rows.bytes(y, into: row) }
            let samples = rows.samples(y)
            let places = UnsafeMutableRawPointer(row)
            for place in 0..<samples.count {
                places.storeBytes(of: samples[place].bigEndian, toByteOffset: 2 &* place, as: UInt16.self)
            }
        }
    }

    /// Encodes full-range red, green and blue bytes, in rows without padding, as a file with 8 bits per sample.
    package func encode(
        rgb24 pixels: [UInt8], size: FrameSize, _ colorimetry: Colorimetry, metadata: PhotoMetadata? = nil
    ) throws(StillError) -> [UInt8] {
        precondition(pixels.count == 3 * size.area, "three bytes a pixel")
        var header = lc_png_header()
        header.channels = 3
        header.depth = 8
        header.describe(colorimetry)
        return try write(header, size: size, colorimetry: colorimetry, metadata: metadata) { y, row in
            pixels.withUnsafeBufferPointer { pixels in
                row.update(from: pixels.baseAddress! + 3 * size.width * y, count: 3 * size.width)
            }
        }
    }

    /// Encodes bytes of brightness, in rows without padding, as a grey file with 8 bits per sample.
    package func encode(
        grey samples: [UInt8], size: FrameSize, metadata: PhotoMetadata? = nil
    ) throws(StillError) -> [UInt8] {
        precondition(samples.count == size.area, "a byte a pixel")
        var header = lc_png_header()
        header.channels = 1
        header.depth = 8
        return try write(header, size: size, colorimetry: .jpeg, metadata: metadata) { y, row in
            samples.withUnsafeBufferPointer { samples in
                row.update(from: samples.baseAddress! + size.width * y, count: size.width)
            }
        }
    }

    /// Encodes words of brightness, in rows without padding, as a grey file with 16 bits per sample, which are the same
    /// words.
    package func encode(
        greyWords samples: [UInt16], size: FrameSize, metadata: PhotoMetadata? = nil
    ) throws(StillError) -> [UInt8] {
        precondition(samples.count == size.area, "a word a pixel")
        var header = lc_png_header()
        header.channels = 1
        header.depth = 16
        return try write(header, size: size, colorimetry: .jpeg, metadata: metadata) { y, row in
            let bytes = UnsafeMutableRawPointer(row)
            for x in 0..<size.width {
                bytes.storeBytes(of: samples[size.width * y + x].bigEndian, toByteOffset: 2 * x, as: UInt16.self)
            }
        }
    }

    /// A low compression level: a higher one takes twice as long to save a few percent, because a picture's low bits
    /// are noise.
    private static let level: Int32 = 2

    private func write(
        _ described: lc_png_header, size: FrameSize, colorimetry: Colorimetry, profile: [UInt8]? = nil,
        metadata: PhotoMetadata?, fill: @escaping (Int, UnsafeMutablePointer<UInt8>) -> Void
    ) throws(StillError) -> [UInt8] {
        if let orientation = metadata?.orientation, orientation != .up {
            let pixelBytes = Int(described.channels) * Int(described.depth) / 8
            let pixels = TurnedPixels(orientation, size, pixelBytes: pixelBytes, fill)
            var upright = metadata
            upright?.orientation = .up
            return try write(
                described, size: orientation.shown(size), colorimetry: colorimetry, profile: profile, metadata: upright,
                fill: pixels.write)
        }
        let exif = metadata?.exif(of: size, colorimetry, hasProfile: profile != nil)
        final class Filler {
            let fill: (Int, UnsafeMutablePointer<UInt8>) -> Void
            init(_ fill: @escaping (Int, UnsafeMutablePointer<UInt8>) -> Void) { self.fill = fill }
        }
        var header = described
        (header.width, header.height) = (UInt32(size.width), UInt32(size.height))
        header.level = Self.level
        let filler = Filler(fill)
        var file = lc_bytes()
        defer { lc_bytes_free(&file) }
        var complaint = [CChar](repeating: 0, count: 128)
        let xmp = (metadata?.xmp).map { $0.map(CChar.init(bitPattern:)) + [0] }
        let isDone = (exif ?? []).withUnsafeBufferPointer { exif in
            (xmp ?? []).withUnsafeBufferPointer { xmp in
                (profile ?? []).withUnsafeBufferPointer { profile in
                    header.exif = exif.baseAddress
                    header.exif_count = exif.count
                    header.xmp = xmp.isEmpty ? nil : xmp.baseAddress
                    header.profile = profile.baseAddress
                    header.profile_count = profile.count
                    return withExtendedLifetime(filler) {
                        lc_png_write(
                            &header,
                            { context, y, row in
                                Unmanaged<Filler>.fromOpaque(context!).takeUnretainedValue().fill(Int(y), row!)
                            }, Unmanaged.passUnretained(filler).toOpaque(), &file, &complaint, complaint.count)
                    }
                }
            }
        }
        guard isDone else {
            let words = String(decoding: complaint.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if words == "out of memory" { throw .noMemory }
            throw .unencodable(words)
        }
        return Array(UnsafeBufferPointer(start: file.start, count: file.count))
    }
}
