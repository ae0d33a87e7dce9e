// SPDX-License-Identifier: MIT
// Wraps libheif's images and files with ownership and thrown errors.

import Frames
import LivecapCheif

/// A picture in libheif's memory.
final class HEIFImage {
    fileprivate let handle: OpaquePointer

    init(_ size: FrameSize, _ space: heif_colorspace, _ chroma: heif_chroma) throws(StillError) {
        var handle: OpaquePointer?
        try check(heif_image_create(Int32(size.width), Int32(size.height), space, chroma, &handle))
        guard let handle else { throw .noMemory }
        self.handle = handle
    }

    deinit { heif_image_release(handle) }

    /// Adds a plane with `bits` bits per sample and calls `write` to fill each of its rows.
    func fill(
        _ channel: heif_channel, _ size: FrameSize, bits: Int, _ write: (Int, UnsafeMutableRawPointer) -> Void
    ) throws(StillError) {
        try check(heif_image_add_plane(handle, channel, Int32(size.width), Int32(size.height), Int32(bits)))
        var stride: Int32 = 0
        guard let plane = heif_image_get_plane(handle, channel, &stride) else { throw .noMemory }
        for y in 0..<size.height { write(y, UnsafeMutableRawPointer(plane + y * Int(stride))) }
    }

    /// Sets the colorimetry of the samples.
    func describe(_ colorimetry: Colorimetry) throws(StillError) {
        guard let profile = heif_nclx_color_profile_alloc() else { throw .noMemory }
        defer { heif_nclx_color_profile_free(profile) }
        // 2 means "unspecified".
        let codes = CodePoints(colorimetry)
        try check(heif_nclx_color_profile_set_color_primaries(profile, UInt16(codes.primaries ?? 2)))
        try check(heif_nclx_color_profile_set_transfer_characteristics(profile, UInt16(codes.transfer ?? 2)))
        try check(heif_nclx_color_profile_set_matrix_coefficients(profile, UInt16(codes.matrix)))
        profile.pointee.full_range_flag = codes.isFullRange ? 1 : 0
        try check(heif_image_set_nclx_color_profile(handle, profile))
    }
}

/// A HEIC file being written.
final class HEIFWriting {
    private let context: OpaquePointer
    private var encoder: OpaquePointer?

    init(quality: Int) throws(StillError) {
        guard let context = heif_context_alloc() else { throw .noMemory }
        self.context = context
        try check(heif_context_get_encoder_for_format(context, heif_compression_HEVC, &encoder))
        try check(heif_encoder_set_lossy_quality(encoder, Int32(min(max(quality, 1), 100))))
        // Shots are already distributed over the processors, and an encoder with its own threads would take processors
        // from other shots. Faster presets leak memory with every picture, and the next slower ones gain nothing.
        for (name, value) in [("x265:pools", "none"), ("x265:frame-threads", "1"), ("preset", "veryfast")] {
            try check(heif_encoder_set_parameter_string(encoder, name, value))
        }
    }

    deinit {
        heif_encoder_release(encoder)
        heif_context_free(context)
    }

    /// Encodes the image and returns the file's bytes.
    func file(_ image: HEIFImage, exif: [UInt8]?, xmp: [UInt8]?) throws(StillError) -> [UInt8] {
        guard let options = heif_encoding_options_alloc() else { throw .noMemory }
        defer { heif_encoding_options_free(options) }
        // Otherwise the file would not declare its colours.
        options.pointee.macOS_compatibility_workaround_no_nclx_profile = 0
        var handle: OpaquePointer?
        try check(heif_context_encode_image(context, image.handle, encoder, options, &handle))
        defer { heif_image_handle_release(handle) }
        if let exif { try check(heif_context_add_exif_metadata(context, handle, exif, Int32(exif.count))) }

        if let xmp { try check(heif_context_add_XMP_metadata(context, handle, xmp, Int32(xmp.count))) }
        var bytes: [UInt8] = []
        var writer = heif_writer(
            writer_api_version: 1,
            write: { _, data, size, target in
                target?.assumingMemoryBound(to: [UInt8].self).pointee
                    .append(contentsOf: UnsafeRawBufferPointer(start: data, count: size))
                return heif_error(code: heif_error_Ok, subcode: heif_suberror_Unspecified, message: nil)
            })
        let written = withUnsafeMutablePointer(to: &bytes) { heif_context_write(context, &writer, $0) }
        try check(written)
        HEVCProfile.declare(in: &bytes)
        return bytes
    }
}

/// Throws libheif's error, if any.
private func check(_ answer: heif_error) throws(StillError) {
    guard answer.code != heif_error_Ok else { return }
    if answer.code == heif_error_Memory_allocation_error { throw .noMemory }
    throw .unencodable(answer.message.map { String(cString: $0) } ?? "libheif failed without a word")
}
