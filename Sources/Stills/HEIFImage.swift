// SPDX-License-Identifier: MIT
// Wraps libheif's images and files with ownership and thrown errors.

import LivecapCStills
import LivecapFrames

/// A picture in libheif's memory.
final class HEIFImage {
    private let library: HEIFLibrary
    fileprivate let handle: OpaquePointer

    init(_ library: HEIFLibrary, _ size: FrameSize, space: Int32, chroma: Int32) throws(StillError) {
        var handle: OpaquePointer?
        try library.check(
            library.functions.image_create(Int32(size.width), Int32(size.height), space, chroma, &handle))
        guard let handle else { throw .noMemory }
        self.library = library
        self.handle = handle
    }

    deinit { library.functions.image_release(handle) }

    /// Adds a plane with `bits` bits per sample and calls `write` to fill each of its rows.
    func fill(
        _ channel: Int32, _ size: FrameSize, bits: Int, _ write: (Int, UnsafeMutableRawPointer) -> Void
    ) throws(StillError) {
        let heif = library.functions
        try library.check(
            heif.image_add_plane(handle, channel, Int32(size.width), Int32(size.height), Int32(bits)))
        var stride: Int32 = 0
        guard let plane = heif.image_get_plane(handle, channel, &stride) else { throw .noMemory }
        for y in 0..<size.height { write(y, UnsafeMutableRawPointer(plane + y * Int(stride))) }
    }

    /// Says how the samples map to colours.
    func describe(_ codes: CodePoints) throws(StillError) {
        let heif = library.functions
        guard let profile = heif.nclx_color_profile_alloc() else { throw .noMemory }
        defer { heif.nclx_color_profile_free(profile) }
        // 2 means "unspecified".
        try library.check(heif.nclx_color_profile_set_color_primaries(profile, UInt16(codes.primaries ?? 2)))
        try library.check(heif.nclx_color_profile_set_transfer_characteristics(profile, UInt16(codes.transfer ?? 2)))
        try library.check(heif.nclx_color_profile_set_matrix_coefficients(profile, UInt16(codes.matrix)))
        profile.pointee.is_full_range = codes.isFullRange ? 1 : 0
        try library.check(heif.image_set_nclx_color_profile(handle, profile))
    }
}

/// A HEIC file being written.
final class HEIFWriting {
    private let library: HEIFLibrary
    private let context: OpaquePointer
    private let encoder: OpaquePointer

    /// `isLossless`: whether all samples must come back as they were, whatever the quality.
    init(_ library: HEIFLibrary, quality: Int, isLossless: Bool = false) throws(StillError) {
        let heif = library.functions
        guard let context = heif.context_alloc() else { throw .noMemory }
        do throws(StillError) {
            var encoder: OpaquePointer?
            try library.check(heif.context_get_encoder_for_format(context, lc_heif_hevc, &encoder))
            guard let encoder else { throw .noMemory }
            self.library = library
            self.context = context
            self.encoder = encoder
        } catch {
            heif.context_free(context)
            throw error
        }
        try library.check(heif.encoder_set_lossy_quality(encoder, Int32(min(max(quality, 1), 100))))
        // Shots are already distributed over the processors, and an encoder with its own threads would take processors
        // from other shots. Faster presets leak memory with every picture, and the next slower ones gain nothing.
        var parameters = [("x265:pools", "none"), ("x265:frame-threads", "1"), ("preset", "veryfast")]
        if isLossless { parameters.append(("x265:lossless", "1")) }
        for (name, value) in parameters {
            try library.check(heif.encoder_set_parameter_string(encoder, name, value))
        }
    }

    deinit {
        library.functions.encoder_release(encoder)
        library.functions.context_free(context)
    }

    /// Encodes the image and returns the file's bytes.
    func file(_ image: HEIFImage, exif: [UInt8]?, xmp: [UInt8]?) throws(StillError) -> [UInt8] {
        let heif = library.functions
        guard let options = heif.encoding_options_alloc() else { throw .noMemory }
        defer { heif.encoding_options_free(options) }
        // Otherwise the file would not declare its colours. Older versions have no such field.
        if options.pointee.version >= 4 { options.pointee.omits_colors = 0 }
        var handle: OpaquePointer?
        try library.check(heif.context_encode_image(context, image.handle, encoder, options, &handle))
        guard let handle else { throw .noMemory }
        defer { heif.image_handle_release(handle) }
        if let exif { try library.check(heif.context_add_exif_metadata(context, handle, exif, Int32(exif.count))) }
        if let xmp { try library.check(heif.context_add_XMP_metadata(context, handle, xmp, Int32(xmp.count))) }
        var bytes: [UInt8] = []
        var writer = lc_heif_writer(
            version: 1,
            write: { _, data, size, target in
                target?.assumingMemoryBound(to: [UInt8].self).pointee
                    .append(contentsOf: UnsafeRawBufferPointer(start: data, count: size))
                return lc_heif_success()
            })
        let written = withUnsafeMutablePointer(to: &bytes) { heif.context_write(context, &writer, $0) }
        try library.check(written)
        HEVCProfile.declare(in: &bytes)
        return bytes
    }
}
