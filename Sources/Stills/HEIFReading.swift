// SPDX-License-Identifier: MIT
// Reads the metadata of a HEIC file with libheif, without decoding the picture.

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
        guard let context = heif.context_alloc() else { return nil }
        defer { heif.context_free(context) }
        // A file has few boxes, and libheif limits the memory they can request.
        heif.context_set_maximum_image_size_limit(context, 1 << 15)
        let isRead = file.withUnsafeBytes {
            heif.context_read_from_memory(context, $0.baseAddress, $0.count, nil).code == lc_heif_ok
        }
        var handle: OpaquePointer?
        guard isRead, heif.context_get_primary_image_handle(context, &handle).code == lc_heif_ok, let handle else {
            return nil
        }
        defer { heif.image_handle_release(handle) }
        size = FrameSize(
            width: Int(heif.image_handle_get_width(handle)), height: Int(heif.image_handle_get_height(handle)))
        xmp = Self.packet(of: handle, heif)
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
