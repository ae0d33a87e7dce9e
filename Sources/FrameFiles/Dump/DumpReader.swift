// SPDX-License-Identifier: MIT
// Reads raw frame dumps as files of frames.

import LivecapFrames

/// A raw frame dump: finished, interrupted, damaged or still growing. See docs/dump-format.md.
package final class DumpReader: FrameFile {
    /// The dump's header.
    package let header: DumpHeader
    /// Frames that the recorder had to drop; nil if the recording was not finished.
    package let dropped: UInt64?
    /// The source of the frames and their format.
    package let description: SourceDescription
    /// The size of the largest frame in bytes.
    package let largestFrame: Int
    /// Problems found when the file was opened.
    package let health: FileHealth
    private let file: InputFile
    private let entries: [DumpEntry]
    private let ignoresChecksums: Bool

    /// Opens the dump at `path` and finds all its frames.
    package convenience init(_ path: String) throws(FrameFileError) { try self.init(InputFile(path)) }

    /// Opens a dump without verifying checksums, so that a fuzzer reaches the code behind them.
    package convenience init(unchecked path: String) throws(FrameFileError) {
        try self.init(InputFile(path), ignoringChecksums: true)
    }

    init(_ file: InputFile, ignoringChecksums: Bool = false) throws(FrameFileError) {
        let start: Int
        (header, start) = try Self.header(of: file, ignoringChecksums: ignoringChecksums)
        let scan = DumpScan(file: file, header: header, start: start, ignoringChecksums: ignoringChecksums)
        let contents = try scan.contents()
        entries = contents.entries
        dropped = contents.dropped
        health = contents.health
        largestFrame = entries.reduce(0) { max($0, $1.header.metadata.byteCount) }
        description = SourceDescription(
            name: header.name, identity: header.identity, format: header.format, rate: header.rate, clock: .own,
            anchor: header.clock == .monotonic ? header.anchor : nil, firstTime: entries.first?.header.metadata.time,
            frameCount: entries.count)
        self.file = file
        ignoresChecksums = ignoringChecksums
    }

    /// The number of complete frames.
    package var frameCount: Int { entries.count }

    /// The metadata in the header of frame `index`.
    package func metadata(_ index: Int) -> FrameMetadata { entries[index].header.metadata }

    /// Reads frame `index` and verifies it. `damage` is `.checksum` or `.short` if its bytes differ from what was
    /// recorded.
    package func read(_ index: Int, into bytes: UnsafeMutableRawBufferPointer) throws(FrameFileError) -> FrameMetadata {
        let entry = entries[index]
        var frame = entry.header.metadata
        let payload = UnsafeMutableRawBufferPointer(rebasing: bytes[..<frame.byteCount])
        if try !file.readFrame(at: entry.payloadOffset, into: payload) {
            frame.markDamaged(.short)
        } else if !ignoresChecksums, Checksum.of(UnsafeRawBufferPointer(payload)) != entry.header.payloadChecksum {
            frame.markDamaged(.checksum)
        }
        return frame
    }

    /// Whether the frame's header in the file matches its copy in the index.
    package func isRecordIntact(_ index: Int) throws(FrameFileError) -> Bool {
        let entry = entries[index]
        let bytes = try file.bytes(
            at: entry.payloadOffset - DumpFrameHeader.byteCount, count: DumpFrameHeader.byteCount)
        let found = bytes.withUnsafeBytes {
            DumpFrameHeader(decoding: $0, recording: header.recording, format: header.format)
        }
        return found?.ordinal == entry.header.ordinal && found?.payloadChecksum == entry.header.payloadChecksum
    }

    private static func header(
        of file: InputFile, ignoringChecksums: Bool
    ) throws(FrameFileError) -> (DumpHeader, length: Int) {
        do throws(HeaderFault) {
            let prefix = try read(file, DumpHeader.prefixBytes)
            let length = try prefix.withBytes { (bytes) throws(HeaderFault) in try DumpHeader.length(prefix: bytes) }
            let whole = try read(file, length)
            guard whole.count == length else { throw .short }
            let header = try whole.withBytes { (bytes) throws(HeaderFault) in
                try DumpHeader(decoding: bytes, ignoringChecksum: ignoringChecksums)
            }
            return (header, length)
        } catch {
            throw error.frameFileError(file)
        }
    }

    private static func read(_ file: InputFile, _ count: Int) throws(HeaderFault) -> [UInt8] {
        do throws(FrameFileError) {
            return try file.bytes(at: 0, count: count)
        } catch {
            throw .unreadable(error)
        }
    }
}

extension HeaderFault {
    fileprivate func frameFileError(_ file: InputFile) -> FrameFileError {
        switch self {
        case .foreign:
            .badFile(file.path, detail: "not a raw frame dump", hint: "use a recording made by livecap")
        case .short:
            .badFile(
                file.path, detail: "it ends within its header (\(file.byteCount) bytes)",
                hint: "nothing was recorded in it; record again")
        case .version(let version):
            .badFile(
                file.path,
                detail: "it is a dump of version \(version); this program reads version \(DumpHeader.version)",
                hint: "read it with a newer livecap")
        case .damaged:
            .badFile(
                file.path, detail: "its header is damaged (wrong checksum)",
                hint: "use another copy; without the header, nothing is known about the frames")
        case .absurdFormat:
            .badFile(
                file.path, detail: "its header describes impossible frames",
                hint: "record again: the program that wrote it has a fault")
        case .unreadable(let error): error
        }
    }
}
