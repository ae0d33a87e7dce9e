// SPDX-License-Identifier: MIT
// Access to single records of a dump whose offsets are already known.

import LivecapFrames

/// Reads single records of a dump.
package enum DumpRecords {
    /// The maximum size of a dump's header in bytes.
    package static let longestHeader = DumpHeader.longest
    /// The size in bytes of the header before each frame's payload.
    package static let frameHeaderBytes = DumpFrameHeader.byteCount

    /// The header of a dump that begins with `bytes`; nil if they do not contain a complete, valid header.
    package static func header(_ bytes: [UInt8]) -> DumpHeader? {
        bytes.withUnsafeBytes { bytes in
            guard bytes.count >= DumpHeader.prefixBytes else { return nil }
            let prefix = UnsafeRawBufferPointer(rebasing: bytes[..<DumpHeader.prefixBytes])
            guard let length = try? DumpHeader.length(prefix: prefix), length <= bytes.count else { return nil }
            return try? DumpHeader(decoding: UnsafeRawBufferPointer(rebasing: bytes[..<length]))
        }
    }

    /// The contents of the frame header in `bytes`; nil if it is incomplete or does not belong to this recording.
    package static func frame(
        _ bytes: [UInt8], of header: DumpHeader
    ) -> (ordinal: UInt64, metadata: FrameMetadata, payloadChecksum: UInt64)? {
        bytes.withUnsafeBytes { bytes in
            DumpFrameHeader(decoding: bytes, recording: header.recording, format: header.format)
        }.map { ($0.ordinal, $0.metadata, $0.payloadChecksum) }
    }
}
