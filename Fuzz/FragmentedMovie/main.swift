// SPDX-License-Identifier: MIT
// Fuzzes the reading of MP4 files in fragments, and the index that is made of them.

import FuzzSupport
import Glibc
import LivecapMovies
import LivecapStills

fuzz { bytes, count in
    withInputFile(UnsafeRawBufferPointer(start: bytes, count: count)) { path in
        let file = open(path, O_RDONLY | O_CLOEXEC)
        precondition(file >= 0, "no file in memory: errno \(errno)")
        defer { close(file) }
        do throws(MovieIndexGap) {
            let movie = try FragmentedMovie(file, path, byteCount: count)
            precondition(movie.mediaBytes <= count, "a copy has more media than the file")
            let head = try MovieIndexTables(movie).head()
            // Whatever the file says: what is made is made of boxes.
            let whole = head + [UInt8](repeating: 0, count: movie.mediaBytes)
            let boxes = MediaBox.all(in: whole[...])
            precondition(boxes?.map(\.type) == ["ftyp", "moov", "mdat"], "the index comes first")
        } catch {
            _ = error.message
        }
    }
    return 0
}
