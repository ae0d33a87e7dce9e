// SPDX-License-Identifier: MIT
// Single records of a dump, for who knows where they lie and does not want to look for them.

import Frames

/// Reading of a dump's records one by one.
package enum DumpRecords {
    /// The most bytes a dump's header has.
    package static let longestHeader = DumpHeader.longest
    /// Bytes of what stands before each frame's payload.
    package static let frameHeaderBytes = DumpFrameHeader.byteCount

    /// The header of a dump that begins with `bytes`; nil where they begin none, or not with all of it.
    package static func header(_ bytes: [UInt8]) -> DumpHeader? {
        bytes.withUnsafeBytes { bytes in
            guard bytes.count >= DumpHeader.prefixBytes else { return nil }
            let prefix = UnsafeRawBufferPointer(rebasing: bytes[..<DumpHeader.prefixBytes])
            guard let length = try? DumpHeader.length(prefix: prefix), length <= bytes.count else { return nil }
            return try? DumpHeader(decoding: UnsafeRawBufferPointer(rebasing: bytes[..<length]))
        }
    }

    /// What the frame header in `bytes` says; nil where it is none of that recording, or not whole.
    package static func frame(
        _ bytes: [UInt8], of header: DumpHeader
    ) -> (ordinal: UInt64, metadata: FrameMetadata, payloadChecksum: UInt64)? {
        bytes.withUnsafeBytes { bytes in
            DumpFrameHeader(decoding: bytes, recording: header.recording, format: header.format)
        }.map { ($0.ordinal, $0.metadata, $0.payloadChecksum) }
    }
}
