// SPDX-License-Identifier: MIT
// Writes bytes again when it is unknown whether an earlier attempt to make them durable succeeded.

import Glibc
import LivecapFiles

extension LibraryFolder {
    /// Reads parts of a file and writes them again, and makes them and the file's name durable.
    ///
    /// A sync alone would not be enough. After a failed sync, perhaps in a program that ended since, the system treats
    /// the lost pages as written, and serves them from memory until the power fails. The content of the parts is to be
    /// checked afterwards.
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
