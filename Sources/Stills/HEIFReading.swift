// SPDX-License-Identifier: MIT
// Reads the metadata of a HEIC file with libheif, without decoding the picture.

import Frames
import LivecapCheif

/// An opened HEIC file.
struct HEIFReading {
    /// The size as shown.
    let size: FrameSize
    let xmp: [UInt8]?

    /// Nil if libheif finds no picture.
    init?(_ file: [UInt8]) {
        guard let context = heif_context_alloc() else { return nil }
        defer { heif_context_free(context) }
        // A file has few boxes, and libheif limits the memory they can request.
        heif_context_set_maximum_image_size_limit(context, 1 << 15)
        let isRead = file.withUnsafeBytes {
            heif_context_read_from_memory(context, $0.baseAddress, $0.count, nil).code == heif_error_Ok
        }
        var handle: OpaquePointer?
        guard isRead, heif_context_get_primary_image_handle(context, &handle).code == heif_error_Ok else { return nil }
        defer { heif_image_handle_release(handle) }
        size = FrameSize(
            width: Int(heif_image_handle_get_width(handle)), height: Int(heif_image_handle_get_height(handle)))
        xmp = Self.xmp(of: handle)
    }

    private static func xmp(of handle: OpaquePointer?) -> [UInt8]? {
        let count = heif_image_handle_get_number_of_metadata_blocks(handle, "mime")
        var blocks = [heif_item_id](repeating: 0, count: Int(count))
        let found = heif_image_handle_get_list_of_metadata_block_IDs(handle, "mime", &blocks, count)
        for block in blocks.prefix(Int(found)) {
            let type = heif_image_handle_get_metadata_content_type(handle, block).map { String(cString: $0) }
            guard type == "application/rdf+xml" else { continue }
            var bytes = [UInt8](repeating: 0, count: heif_image_handle_get_metadata_size(handle, block))
            guard heif_image_handle_get_metadata(handle, block, &bytes).code == heif_error_Ok else { continue }
            return bytes
        }
        return nil
    }
}
