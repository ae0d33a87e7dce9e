// SPDX-License-Identifier: MIT
// A kept frame, read back from a library.

import Glibc
import LivecapFiles
import LivecapFrameFiles
import LivecapFrames

/// A kept frame of a photo: its metadata, and access to its bytes.
package struct StoredFrame: Sendable {
    /// Its metadata, such as when it was taken.
    package let metadata: FrameMetadata
    /// The header of its recording, common to all its frames: the format, the camera, the clock.
    package let header: DumpHeader
    /// The XXH3-64 checksum of its bytes.
    package let checksum: UInt64
    /// The library's file that contains it.
    package let burst: BurstID
    private let file: BurstFile
    private let offset: Int

    init(_ row: FrameRow, in file: BurstFile) throws(LibraryError) {
        metadata = try file.metadata(of: row)
        header = file.header
        checksum = row.checksum
        burst = row.burst
        self.file = file
        offset = row.offset
    }

    /// Reads it into memory of at least `metadata.byteCount` bytes. Throws if the bytes are not those that were kept.
    package func read(into bytes: UnsafeMutableRawBufferPointer) throws(LibraryError) {
        let payload = UnsafeMutableRawBufferPointer(rebasing: bytes[..<metadata.byteCount])
        guard try file.read(at: offset, into: payload) == payload.count else {
            throw .damaged(file.path, detail: "it ends within frame \(metadata.id)")
        }
        guard Checksum.of(UnsafeRawBufferPointer(payload)) == checksum else {
            throw .damaged(file.path, detail: "frame \(metadata.id) has a wrong checksum")
        }
    }

    /// Its bytes. Throws if they are not those that were kept.
    package func bytes() throws(LibraryError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: metadata.byteCount)
        try bytes.withUnsafeMutableBufferPointer { (buffer) throws(LibraryError) in
            try read(into: UnsafeMutableRawBufferPointer(buffer))
        }
        return bytes
    }
}

/// A file of kept frames, open for reading.
final class BurstFile: Sendable {
    let path: String
    let header: DumpHeader
    private let file: Descriptor

    init(_ id: BurstID, in folder: LibraryFolder) throws(LibraryError) {
        path = folder.path(of: id.place)
        file = try folder.openFile(id.place)
        let start = try readBytes(file.number, path, at: 0, count: DumpRecords.longestHeader)
        guard let header = DumpRecords.header(start), header.recording == id.recording else {
            throw .damaged(path, detail: "its header is incomplete, or belongs to another recording")
        }
        self.header = header
    }

    func read(at offset: Int, into bytes: UnsafeMutableRawBufferPointer) throws(LibraryError) -> Int {
        try readFile(file.number, path, at: offset, into: bytes)
    }

    /// The metadata in the frame's own record, which must match the catalogue.
    func metadata(of row: FrameRow) throws(LibraryError) -> FrameMetadata {
        let start = row.offset - DumpRecords.frameHeaderBytes
        guard start > 0 else { throw .damaged(path, detail: "frame \(row.id) is not where the catalogue says") }
        let bytes = try readBytes(file.number, path, at: start, count: DumpRecords.frameHeaderBytes)
        guard let found = DumpRecords.frame(bytes, of: header), found.ordinal == row.ordinal,
            found.payloadChecksum == row.checksum, found.metadata.id == row.id,
            found.metadata.byteCount == row.byteCount
        else { throw .damaged(path, detail: "frame \(row.id) is not where the catalogue says") }
        return found.metadata
    }
}

/// Fills `bytes` from `offset` on. Returns the number of bytes read, which is smaller only at the file's end.
func readFile(
    _ descriptor: Int32, _ path: String, at offset: Int, into bytes: UnsafeMutableRawBufferPointer
) throws(LibraryError) -> Int {
    let got = readAll(descriptor, at: offset, into: bytes)
    guard got >= 0 else { throw .fileError(path, call: "pread", errno: errno) }
    return got
}

/// Up to `count` bytes from `offset` on.
func readBytes(_ descriptor: Int32, _ path: String, at offset: Int, count: Int) throws(LibraryError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let got = try bytes.withUnsafeMutableBufferPointer { (buffer) throws(LibraryError) in
        try readFile(descriptor, path, at: offset, into: UnsafeMutableRawBufferPointer(buffer))
    }
    bytes.removeLast(count - got)
    return bytes
}
