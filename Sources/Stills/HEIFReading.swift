// SPDX-License-Identifier: MIT
// Reads HEIC files with libheif: the metadata without decoding the picture, and the picture in 8 bits or all it has.

import LivecapCStills
import LivecapFrames

/// An opened HEIC file.
struct HEIFReading {
    /// The size as shown.
    let size: FrameSize
    let xmp: [UInt8]?

    /// Nil if libheif finds no picture.
    init?(_ library: HEIFLibrary, _ file: [UInt8]) {
        let heif = library.functions
        guard let picture = try? HEIFPicture(library, file) else { return nil }
        size = FrameSize(
            width: Int(heif.image_handle_get_width(picture.handle)),
            height: Int(heif.image_handle_get_height(picture.handle)))
        xmp = Self.packet(of: picture.handle, heif)
    }

    /// The pixels of a picture of a size, turned as the file says: red, green and blue bytes in rows without padding.
    static func pixels(_ library: HEIFLibrary, _ file: [UInt8], _ size: FrameSize) throws(StillError) -> [UInt8] {
        let picture = try HEIFPicture(library, file)
        let image = try picture.decoded(chroma: lc_heif_chroma_rgb24)
        defer { library.functions.image_release(image) }
        let (plane, stride) = try library.plane(lc_heif_channel_rgb, of: image, size, bytes: 3)
        let rowBytes = 3 * size.width
        return [UInt8](unsafeUninitializedCapacity: rowBytes * size.height) { pixels, count in
            for y in 0..<size.height {
                (pixels.baseAddress! + y * rowBytes).update(from: plane + y * stride, count: rowBytes)
            }
            count = rowBytes * size.height
        }
    }

    /// The same with as many bits as the file has: from 0 to 65535, with the file's bits per sample and its colours.
    ///
    /// libheif makes R'G'B' of as many bits of any file, before it makes anything else of that.
    static func fine(
        _ library: HEIFLibrary, _ file: [UInt8], _ size: FrameSize
    ) throws(StillError) -> (samples: [UInt16], bits: Int, colours: FileColours) {
        let picture = try HEIFPicture(library, file)
        let image = try picture.decoded(chroma: lc_heif_chroma_444)
        defer { library.functions.image_release(image) }
        let bits = Int(library.functions.image_get_bits_per_pixel_range(image, lc_heif_channel_red))
        guard (8...16).contains(bits) else { throw .undecodable("its samples have an unusual number of bits") }
        var planes: [(start: UnsafePointer<UInt8>, stride: Int)] = []
        for channel in [lc_heif_channel_red, lc_heif_channel_green, lc_heif_channel_blue] {
            guard library.functions.image_get_bits_per_pixel_range(image, channel) == bits else {
                throw .undecodable("its samples have different numbers of bits")
            }
            planes.append(try library.plane(channel, of: image, size, bytes: bits > 8 ? 2 : 1))
        }
        let largest = UInt32(1) << UInt32(bits) - 1
        let samples = [UInt16](unsafeUninitializedCapacity: 3 * size.area) { samples, count in
            for y in 0..<size.height {
                for (channel, plane) in planes.enumerated() {
                    let bytes = plane.start + y * plane.stride
                    let words = UnsafeRawPointer(bytes)
                    for x in 0..<size.width {
                        let code =
                            bits == 8 ? UInt16(bytes[x]) : words.loadUnaligned(fromByteOffset: 2 &* x, as: UInt16.self)
                        samples[3 &* (y &* size.width &+ x) &+ channel] = UInt16(
                            (min(UInt32(code), largest) &* 65535 &+ largest / 2) / largest)
                    }
                }
            }
            count = 3 * size.area
        }
        return (samples, bits, picture.colours)
    }

    private static func packet(of handle: OpaquePointer, _ heif: lc_heif) -> [UInt8]? {
        let count = heif.image_handle_get_number_of_metadata_blocks(handle, "mime")
        var blocks = [UInt32](repeating: 0, count: Int(count))
        let found = heif.image_handle_get_list_of_metadata_block_IDs(handle, "mime", &blocks, count)
        for block in blocks.prefix(Int(found)) {
            let type = heif.image_handle_get_metadata_content_type(handle, block).map { String(cString: $0) }
            guard type == "application/rdf+xml" else { continue }
            var bytes = [UInt8](repeating: 0, count: heif.image_handle_get_metadata_size(handle, block))
            guard heif.image_handle_get_metadata(handle, block, &bytes).code == lc_heif_ok else { continue }
            return bytes
        }
        return nil
    }
}

/// The main picture of an opened HEIC file.
final class HEIFPicture {
    let library: HEIFLibrary
    private let context: OpaquePointer
    let handle: OpaquePointer

    init(_ library: HEIFLibrary, _ file: [UInt8]) throws(StillError) {
        let heif = library.functions
        guard let context = heif.context_alloc() else { throw .noMemory }
        do throws(StillError) {
            // A file has few boxes, and libheif limits the memory they can request.
            heif.context_set_maximum_image_size_limit(context, 1 << 15)
            try library.checkReading(
                file.withUnsafeBytes { heif.context_read_from_memory(context, $0.baseAddress, $0.count, nil) })
            var handle: OpaquePointer?
            try library.checkReading(heif.context_get_primary_image_handle(context, &handle))
            guard let handle else { throw .noMemory }
            self.library = library
            self.context = context
            self.handle = handle
        } catch {
            heif.context_free(context)
            throw error
        }
    }

    /// The picture as R'G'B', which the caller has to release.
    func decoded(chroma: Int32) throws(StillError) -> OpaquePointer {
        var image: OpaquePointer?
        try library.checkReading(library.functions.decode_image(handle, &image, lc_heif_space_rgb, chroma, nil))
        guard let image else { throw .noMemory }
        return image
    }

    /// What the file says of its colours.
    var colours: FileColours {
        let heif = library.functions
        var profile: UnsafeMutablePointer<lc_heif_colors>?
        guard heif.image_handle_get_nclx_color_profile(handle, &profile).code == lc_heif_ok, let profile else {
            return FileColours(.jpeg)
        }
        defer { heif.nclx_color_profile_free(profile) }
        func code(_ number: Int32) -> UInt8 { UInt8(clamping: number) }
        return FileColours(
            CodePoints(
                primaries: code(profile.pointee.primaries), transfer: code(profile.pointee.transfer),
                matrix: code(profile.pointee.matrix), isFullRange: true))
    }

    deinit {
        library.functions.image_handle_release(handle)
        library.functions.context_free(context)
    }
}

extension HEIFLibrary {
    /// A plane of an image of a size, with rows of at least `bytes` bytes per pixel.
    func plane(
        _ channel: Int32, of image: OpaquePointer, _ size: FrameSize, bytes: Int
    ) throws(StillError) -> (start: UnsafePointer<UInt8>, stride: Int) {
        var stride: Int32 = 0
        guard let plane = functions.image_get_plane_readonly(image, channel, &stride),
            Int(stride) >= bytes * size.width, functions.image_get_width(image, channel) == size.width,
            functions.image_get_height(image, channel) == size.height
        else { throw .undecodable("libheif gave another picture than it announced") }
        return (plane, Int(stride))
    }

    /// Throws the library's error as one of reading, if any.
    func checkReading(_ answer: lc_heif_error) throws(StillError) {
        guard answer.code != lc_heif_ok else { return }
        if answer.code == lc_heif_no_memory { throw .noMemory }
        let words = answer.message.map { String(cString: $0) } ?? "libheif failed without a word"
        // What it cannot do on this machine: its decoder may be a package of its own.
        throw answer.code == lc_heif_unsupported ? .unavailable("libheif: \(words)") : .undecodable(words)
    }
}
