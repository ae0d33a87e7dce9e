// SPDX-License-Identifier: MIT
// FFmpeg's libraries, loaded when a camera's compressed video is to be decoded.

import LivecapCMovies
import LivecapFrames

/// Functions of libavcodec. Nothing links them, for the reasons that the movies' library has.
final class VideoLibrary: Sendable {
    // Safe: the table never changes, and its functions may be called from any thread.
    nonisolated(unsafe) let functions: OpaquePointer

    /// Loads them to decode a format.
    /// - Throws: `noDecoder` if they are missing, or of an unknown release.
    init(for format: PixelFormat) throws(CameraError) {
        var why = [CChar](repeating: 0, count: 512)
        var unknown: Int32 = 0
        guard let loaded = lc_libav_load(&why, why.count, &unknown) else {
            throw .noDecoder(format, detail: Self.text(why))
        }
        functions = loaded
    }

    deinit { lc_libav_free(functions) }

    /// The text in a buffer that C has filled.
    static func text(_ buffer: [CChar]) -> String {
        String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
