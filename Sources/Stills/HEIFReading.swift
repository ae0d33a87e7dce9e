// SPDX-License-Identifier: MIT
// Reads HEIC files with libheif: the metadata without decoding the picture, and the picture.

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

    /// A file's picture, turned as the file says. The caller has to release it.
    static func decoded(
        _ library: HEIFLibrary, _ file: [UInt8], space: Int32, chroma: Int32
    ) throws(StillError) -> OpaquePointer {
        let picture = try HEIFPicture(library, file)
        var image: OpaquePointer?
        try library.checkReading(library.functions.decode_image(picture.handle, &image, space, chroma, nil))
        guard let image else { throw .noMemory }
        return image
    }

    /// The pixels of a picture of a size, turned as the file says: red, green and blue bytes in rows without padding.
    static func pixels(_ library: HEIFLibrary, _ file: [UInt8], _ size: FrameSize) throws(StillError) -> [UInt8] {
        let heif = library.functions
        let image = try decoded(library, file, space: lc_heif_space_rgb, chroma: lc_heif_chroma_rgb24)
        defer { heif.image_release(image) }
        var stride: Int32 = 0
        guard let plane = heif.image_get_plane_readonly(image, lc_heif_channel_rgb, &stride),
            heif.image_get_width(image, lc_heif_channel_rgb) == size.width,
            heif.image_get_height(image, lc_heif_channel_rgb) == size.height
        else { throw .undecodable("libheif gave another picture than it announced") }
        let rowBytes = 3 * size.width
        return [UInt8](unsafeUninitializedCapacity: rowBytes * size.height) { pixels, count in
            for y in 0..<size.height {
                (pixels.baseAddress! + y * rowBytes).update(from: plane + y * Int(stride), count: rowBytes)
            }
            count = rowBytes * size.height
        }
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
private final class HEIFPicture {
    private let library: HEIFLibrary
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

    deinit {
        library.functions.image_handle_release(handle)
        library.functions.context_free(context)
    }
}

extension HEIFLibrary {
    /// Throws the library's error as one of reading, if any.
    fileprivate func checkReading(_ answer: lc_heif_error) throws(StillError) {
        guard answer.code != lc_heif_ok else { return }
        if answer.code == lc_heif_no_memory { throw .noMemory }
        let words = answer.message.map { String(cString: $0) } ?? "libheif failed without a word"
        // What it cannot do on this machine: its decoder may be a package of its own.
        throw answer.code == lc_heif_unsupported ? .unavailable("libheif: \(words)") : .undecodable(words)
    }
}
