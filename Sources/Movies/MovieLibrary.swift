// SPDX-License-Identifier: MIT
// FFmpeg's libraries, loaded when the first movie is made.

import LivecapCMovies

/// Functions of libavformat and libavcodec.
///
/// Nothing links them: few commands make movies, they load over a hundred other libraries, and Debian's are under the
/// GPL. Their structures differ from release to release, so only releases whose structures are known are loaded: FFmpeg
/// 5 to 9, and the newest of them that is installed.
final class MovieLibrary: Sendable {
    // Safe: the table never changes, and its functions may be called from any thread.
    nonisolated(unsafe) let functions: OpaquePointer

    /// - Throws: `noLibrary` if a library is missing or lacks a function, `unknownRelease`.
    init() throws(MovieError) {
        var why = [CChar](repeating: 0, count: 512)
        var unknown: Int32 = 0
        guard let loaded = lc_libav_load(&why, why.count, &unknown) else {
            throw unknown == 0 ? .noLibrary(detail: Self.text(why)) : .unknownRelease(detail: Self.text(why))
        }
        functions = loaded
    }

    deinit { lc_libav_free(functions) }

    /// FFmpeg's words for an error of its functions.
    private func describe(_ error: Int32) -> String {
        var text = [CChar](repeating: 0, count: 128)
        lc_libav_words(functions, error, &text, text.count)
        return Self.text(text)
    }

    /// Throws `failed` if a function returned a negative number.
    func check(_ result: Int32, _ what: String) throws(MovieError) {
        if result < 0 { throw .failed(what, detail: describe(result)) }
    }

    /// The text in a buffer that C has filled.
    static func text(_ buffer: [CChar]) -> String {
        String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
