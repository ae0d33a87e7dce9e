// SPDX-License-Identifier: MIT
// Loads libheif when a HEIC file is made or read.

import LivecapCStills
import LivecapFrames

/// libheif's functions.
///
/// The library is loaded when it is first needed, and nothing links it: few programs make HEIC files, it takes longer
/// to load than everything else, and Debian's libheif links libx265, which is under the GPL. Once loaded it stays, and
/// any thread may call it. Loading it again takes microseconds, so nobody has to keep a value of this type.
package struct HEIFLibrary {
    /// The file name of every libheif whose binary interface is the one used here.
    package static let usualName = "libheif.so.1"

    let functions: lc_heif

    /// Throws `unavailable` if there is no library of that name, or it lacks a function; `noMemory` if there is no room
    /// to load it.
    package init(_ name: String = usualName) throws(StillError) {
        var why = [CChar](repeating: 0, count: 256)
        let functions = withUnsafeTemporaryAllocation(of: lc_heif.self, capacity: 1) { memory in
            lc_heif_load(name, memory.baseAddress!, &why, why.count) ? memory[0] : nil
        }
        guard let functions else {
            let words = String(decoding: why.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            // glibc sets no errno; these are its words if the address space is used up.
            if words.contains("failed to map segment") || words.contains("allocate memory") { throw .noMemory }
            throw .unavailable(words)
        }
        self.functions = functions
    }

    /// Throws `unavailable` if it has no HEVC encoder, which may be a package of its own.
    package func checkEncoder() throws(StillError) {
        do throws(StillError) { _ = try HEIFWriting(self, quality: 75) } catch {
            if case .unencodable(let words) = error { throw .unavailable("libheif: \(words)") }
            throw error
        }
    }

    /// Throws the library's error, if any.
    func check(_ answer: lc_heif_error) throws(StillError) {
        guard answer.code != lc_heif_ok else { return }
        if answer.code == lc_heif_no_memory { throw .noMemory }
        throw .unencodable(answer.message.map { String(cString: $0) } ?? "libheif failed without a word")
    }
}

extension StillFormat {
    /// Throws `unavailable` if this machine lacks what it takes to encode pictures of this format: HEIC needs libheif,
    /// with an HEVC encoder. If this returns, the library is loaded.
    public func checkEncoder() throws(StillError) {
        guard self == .heic else { return }
        try HEIFLibrary().checkEncoder()
    }
}
