// SPDX-License-Identifier: MIT
// The bytes of a dump in the order they are written; where they go is somebody else's business.

import Frames

/// Numbers a recording's records, makes their headers and remembers what the index needs. Touches no file.
package struct DumpEncoder {
    private let header: DumpHeader
    /// Copies of the frame headers, as the index has them: 72 bytes a frame.
    private var entries: [UInt8] = []

    /// What the file begins with.
    package let fileHeader: [UInt8]

    package init(_ header: DumpHeader) {
        self.header = header
        fileHeader = header.encoded()
        entries.reserveCapacity(DumpIndex.entryBytes * 4096)
    }

    /// How many frames have been encoded.
    package var frameCount: Int { entries.count / DumpIndex.entryBytes }

    /// The header of the next frame. `metadata.byteCount` bytes of payload with that checksum follow it.
    package mutating func nextFrame(_ metadata: FrameMetadata, payloadChecksum: UInt64) -> [UInt8] {
        let record = DumpFrameHeader(
            ordinal: UInt64(frameCount), metadata: metadata, payloadChecksum: payloadChecksum)
        var bytes = [UInt8](repeating: 0, count: DumpFrameHeader.byteCount)
        bytes.withUnsafeMutableBytes { record.encode(into: $0, recording: header.recording) }
        entries += bytes.dropFirst(DumpFrameHeader.byteCount - DumpIndex.entryBytes)
        return bytes
    }

    /// Takes the last frame's header back: it was not written.
    package mutating func forgetLast() { entries.removeLast(DumpIndex.entryBytes) }

    /// How many of the frames lie wholly within a file of `byteCount` bytes, and where the last of them ends.
    func wholeFrames(within byteCount: Int) -> (count: Int, end: Int) {
        var (count, end) = (0, fileHeader.count)
        while count < frameCount {
            let next = end + DumpFrameHeader.byteCount + metadata(count).byteCount
            guard next <= byteCount else { break }
            (count, end) = (count + 1, next)
        }
        return (count, end)
    }

    /// What the header of frame `index` says.
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

    /// What the file ends with when only its first `count` frames were written and the last of them ends at `offset`.
    package func index(ofFirst count: Int, endingAt offset: Int, dropped: UInt64) -> [UInt8] {
        let listed = entries[..<(count * DumpIndex.entryBytes)]
        let checksum = listed.withUnsafeBytes { Checksum.of($0) }
        let head = DumpIndex.Head(count: UInt64(count), dropped: dropped, entriesChecksum: checksum)
        return head.encoded(recording: header.recording) + listed
            + DumpIndex.trailer(indexAt: offset, recording: header.recording)
    }
}
