// SPDX-License-Identifier: MIT
// Bytes written once more, where nobody knows what became of an earlier attempt to bring them to the disk.

import Camera
import DurableFiles
import Glibc

extension LibraryFolder {
    /// Writes parts of a file again, as they are read, and brings them and the file's name to the disk.
    ///
    /// A sync alone would not do: when one has failed, perhaps in a program that ended since, the system treats the lost pages
    /// as written, and reads them from memory until the power fails. What the parts contain is to be checked afterwards.
    func writeAgain(_ place: String, _ parts: [Range<Int>]) throws(LibraryError) {
        let whole = path(of: place)
        let file = try openFile(place, toWrite: true)
        for part in parts {
            var offset = part.lowerBound
            while offset < part.upperBound {
                let bytes = try readBytes(file.number, whole, at: offset, count: min(1 << 20, part.upperBound - offset))
                guard !bytes.isEmpty else { break }
                guard lseek(file.number, off_t(offset), SEEK_SET) >= 0 else {
                    throw .fileError(whole, call: "lseek", errno: errno)
                }
                let reason = bytes.withUnsafeBytes { writeAll($0, to: file.number, calls) }
                guard reason == 0 else { throw .fileError(whole, call: "write", errno: reason) }
                offset += bytes.count
            }
        }
        guard uninterrupted({ calls.sync(file.number) }) == 0 else {
            throw .fileError(whole, call: "fsync", errno: errno)
        }
        guard let end = place.lastIndex(of: "/") else { return }
        let folder = try makeFolder(String(place[..<end]))
        try sync(folder.number, whole)
    }
}
