// SPDX-License-Identifier: MIT
// Produces the bytes of a dump in the order they are written, without writing them.

import LivecapFrames

/// Numbers a recording's records, creates their headers and keeps the data for the index. Does not access files.
package struct DumpEncoder {
    private let header: DumpHeader
    /// Copies of the frame headers in the form the index uses: 72 bytes per frame.
    private var entries: [UInt8] = []

    /// The bytes at the beginning of the file.
    package let fileHeader: [UInt8]

    package init(_ header: DumpHeader) {
        self.header = header
        fileHeader = header.encoded()
        entries.reserveCapacity(DumpIndex.entryBytes * 4096)
    }

    /// The number of frames encoded so far.
    package var frameCount: Int { entries.count / DumpIndex.entryBytes }

    /// Creates the header of the next frame. `metadata.byteCount` bytes of payload with the given checksum follow it.
    package mutating func nextFrame(_ metadata: FrameMetadata, payloadChecksum: UInt64) -> [UInt8] {
        let record = DumpFrameHeader(
            ordinal: UInt64(frameCount), metadata: metadata, payloadChecksum: payloadChecksum)
        var bytes = [UInt8](repeating: 0, count: DumpFrameHeader.byteCount)
        bytes.withUnsafeMutableBytes { record.encode(into: $0, recording: header.recording) }
        entries += bytes.dropFirst(DumpFrameHeader.byteCount - DumpIndex.entryBytes)
        return bytes
    }

    /// The size of the last frame's record, header and payload.
    package var lastRecordBytes: Int { DumpFrameHeader.byteCount + metadata(frameCount - 1).byteCount }

    /// Removes the last frame's header, because it was not written, or was cut off again.
    package mutating func forgetLast() { entries.removeLast(DumpIndex.entryBytes) }

    /// The number of frames that lie entirely within a file of `byteCount` bytes, and where the last of them ends.
    func wholeFrames(within byteCount: Int) -> (count: Int, end: Int) {
        var (count, end) = (0, fileHeader.count)
        while count < frameCount {
            let next = end + DumpFrameHeader.byteCount + metadata(count).byteCount
            guard next <= byteCount else { break }
            (count, end) = (count + 1, next)
        }
        return (count, end)
    }

    /// The metadata in the header of frame `index`.
    func metadata(_ index: Int) -> FrameMetadata {
        let start = index * DumpIndex.entryBytes
        var record = withUnsafeBytes(of: DumpFrameHeader.magic.littleEndian) { Array($0) }
        record += entries[start..<(start + DumpIndex.entryBytes)]
        let decoded = record.withUnsafeBytes {
            DumpFrameHeader(decoding: $0, recording: header.recording, format: header.format)
        }
        guard let decoded else { preconditionFailure("an encoded header is decoded") }
        return decoded.metadata
    }

    /// The bytes at the end of a file in which only the first `count` frames were written, the last of them ending at
    /// `offset`.
    package func index(ofFirst count: Int, endingAt offset: Int, dropped: UInt64) -> [UInt8] {
        let listed = entries[..<(count * DumpIndex.entryBytes)]
        let checksum = listed.withUnsafeBytes { Checksum.of($0) }
        let head = DumpIndex.Head(count: UInt64(count), dropped: dropped, entriesChecksum: checksum)
        return head.encoded(recording: header.recording) + listed
            + DumpIndex.trailer(indexAt: offset, recording: header.recording)
    }
}
