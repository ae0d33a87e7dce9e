// SPDX-License-Identifier: MIT
// Writes a dump frame by frame, waiting for the disk: for tools, tests and bursts. `Recorder` records live.

import LivecapFrames

/// Writes frames to a dump in the order given. Appended frames are readable at once, even if `finish` is never called.
package final class DumpWriter {
    private var encoder: DumpEncoder
    private let sink: any RecordingSink
    private let byteCountLimit: Int

    /// Creates the file at `path`. An existing file is an error unless `overwrite` is set.
    package convenience init(_ path: String, _ header: DumpHeader, overwrite: Bool = false) throws(FrameFileError) {
        try self.init(RecordingFile(path, overwrite: overwrite), header)
    }

    init(_ sink: any RecordingSink, _ header: DumpHeader) {
        self.sink = sink
        encoder = DumpEncoder(header)
        byteCountLimit = header.format.byteCount
    }

    /// The number of frames written.
    package var frameCount: Int { encoder.frameCount }

    /// Appends a frame. Its `byteCount` is set to the size of `payload`, which must not exceed what the header's format
    /// allows.
    package func append(_ metadata: FrameMetadata, _ payload: UnsafeRawBufferPointer) throws(FrameFileError) {
        precondition(payload.count <= byteCountLimit, "a frame has no more bytes than its format")
        if frameCount == 0 {
            try encoder.fileHeader.withBytes { (bytes) throws(FrameFileError) in try sink.append(bytes) }
        }
        var metadata = metadata
        metadata.byteCount = payload.count
        let header = encoder.nextFrame(metadata, payloadChecksum: Checksum.of(payload))
        try header.withBytes { (bytes) throws(FrameFileError) in try sink.append(bytes) }
        try sink.append(payload)
        try sink.takeName()
    }

    /// Writes the index and makes the file durable. If no frame was appended, no file remains.
    package func finish(dropped: UInt64 = 0) throws(FrameFileError) {
        guard frameCount > 0 else { return sink.discard() }
        let index = encoder.index(ofFirst: frameCount, endingAt: sink.byteCount, dropped: dropped)
        try index.withBytes { (bytes) throws(FrameFileError) in try sink.append(bytes) }
        try sink.finish()
    }
}
