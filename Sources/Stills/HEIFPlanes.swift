// SPDX-License-Identifier: MIT
// Reads the samples of HEIC files as they are stored, with libheif.

import Fusion
import LivecapCStills
import LivecapFrames

/// The samples of a HEIC file.
struct HEIFPlanes {
    /// Bits per sample.
    let bits: Int
    let colours: FileColours
    let samples: FinePicture.Samples

    /// Decodes a file of a size. Nil if its planes differ in depth, or have a matrix that is not decoded here.
    init?(_ library: HEIFLibrary, _ file: [UInt8], _ size: FrameSize) throws(StillError) {
        let image = try HEIFDecodedImage(library, file)
        let codes = image.codes
        guard let (channels, grid) = image.layout else { return nil }
        let bits = image.bits(channels[0])
        guard (8...16).contains(bits), channels.allSatisfy({ image.bits($0) == bits }) else { return nil }
        var planes: [[UInt16]] = []
        for (index, channel) in channels.enumerated() {
            let plane = FrameSize(
                width: index == 0 ? size.width : grid.width(of: size.width),
                height: index == 0 ? size.height : grid.height(of: size.height))
            planes.append(try image.plane(channel, plane, bits: bits))
        }
        self.bits = bits
        // With the matrix 0, the planes are green, blue and red, whatever they are called.
        if channels.count == 3, image.isRGB || codes.matrix == 0 {
            guard grid == .singles, codes.isFullRange,
                let described = FileColours(
                    CodePoints(primaries: codes.primaries, transfer: codes.transfer, matrix: 2, isFullRange: true))
            else { return nil }
            colours = described
            samples = .pixels(Self.interleaved(planes, bits))
        } else {
            guard let described = FileColours(codes) else { return nil }
            colours = described
            samples = .planes(planes, grid)
        }
    }

    /// Red, green and blue from 0 to 65535 of planes of green, blue and red.
    private static func interleaved(_ planes: [[UInt16]], _ bits: Int) -> [UInt16] {
        let largest = UInt32(1) << UInt32(bits) - 1
        return [UInt16](unsafeUninitializedCapacity: 3 * planes[0].count) { pixels, count in
            for place in planes[0].indices {
                for (channel, plane) in [2, 0, 1].enumerated() {
                    pixels[3 * place + channel] = UInt16(
                        (UInt32(planes[plane][place]) * 65535 + largest / 2) / largest)
                }
            }
            count = 3 * planes[0].count
        }
    }
}

/// The decoded main picture of a HEIC file, as it is stored.
private final class HEIFDecodedImage {
    private let library: HEIFLibrary
    private let handle: OpaquePointer
    /// The code points of its colours; libheif's own assumptions where the file has none.
    let codes: CodePoints

    init(_ library: HEIFLibrary, _ file: [UInt8]) throws(StillError) {
        let heif = library.functions
        handle = try HEIFReading.decoded(library, file, space: lc_heif_as_stored, chroma: lc_heif_as_stored)
        self.library = library
        var colors: UnsafeMutablePointer<lc_heif_colors>?
        if heif.image_get_nclx_color_profile(handle, &colors).code == lc_heif_ok, let colors {
            func code(_ number: Int32) -> UInt8 { UInt8(clamping: number) }
            codes = CodePoints(
                primaries: code(colors.pointee.primaries), transfer: code(colors.pointee.transfer),
                matrix: code(colors.pointee.matrix), isFullRange: colors.pointee.is_full_range != 0)
            heif.nclx_color_profile_free(colors)
        } else {
            codes = CodePoints(primaries: nil, transfer: nil, matrix: 6, isFullRange: true)
        }
    }

    deinit { library.functions.image_release(handle) }

    var isRGB: Bool { library.functions.image_get_colorspace(handle) == lc_heif_space_rgb }

    /// Its channels and how they share chroma; nil for samples that are interleaved. Red, green and blue are in the
    /// order that Y', Cb and Cr have with the matrix 0.
    var layout: (channels: [Int32], grid: ChromaGrid)? {
        let chroma = library.functions.image_get_chroma_format(handle)
        let three = [lc_heif_channel_y, lc_heif_channel_cb, lc_heif_channel_cr]
        switch chroma {
        case lc_heif_chroma_none: return ([lc_heif_channel_y], .none)
        case lc_heif_chroma_420: return (three, .quads)
        case lc_heif_chroma_422: return (three, .pairs)
        case lc_heif_chroma_444:
            return (isRGB ? [lc_heif_channel_green, lc_heif_channel_blue, lc_heif_channel_red] : three, .singles)
        default: return nil
        }
    }

    func bits(_ channel: Int32) -> Int {
        Int(library.functions.image_get_bits_per_pixel_range(handle, channel))
    }

    /// The samples of a plane of a size: bytes if they have 8 bits, else words.
    func plane(_ channel: Int32, _ size: FrameSize, bits: Int) throws(StillError) -> [UInt16] {
        let heif = library.functions
        var stride: Int32 = 0
        guard let plane = heif.image_get_plane_readonly(handle, channel, &stride),
            Int(stride) >= (bits > 8 ? 2 : 1) * size.width,
            heif.image_get_width(handle, channel) == size.width,
            heif.image_get_height(handle, channel) == size.height
        else { throw .undecodable("libheif gave another picture than it announced") }
        let largest = UInt16.max >> UInt16(16 - bits)
        return [UInt16](unsafeUninitializedCapacity: size.area) { samples, count in
            for y in 0..<size.height {
                let bytes = plane + y * Int(stride)
                let words = UnsafeRawPointer(bytes)
                for x in 0..<size.width {
                    samples[y * size.width + x] =
                        bits == 8
                        ? UInt16(bytes[x]) : min(words.loadUnaligned(fromByteOffset: 2 * x, as: UInt16.self), largest)
                }
            }
            count = size.area
        }
    }
}
