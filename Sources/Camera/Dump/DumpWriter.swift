// SPDX-License-Identifier: MIT
// Writing a dump frame by frame, waiting for the disk: for tools, tests and bursts. `Recorder` records live.

import Frames

/// Writes frames to a dump, in the order given. What was appended is readable at once, also if `finish` never comes.
public final class DumpWriter {
    private var encoder: DumpEncoder
    private let sink: any RecordingSink
    private let byteCountLimit: Int

    /// Makes the file at `path`; an older one is refused unless it may be overwritten.
    public convenience init(_ path: String, _ header: DumpHeader, overwrite: Bool = false) throws(CameraError) {
        try self.init(RecordingFile(path, overwrite: overwrite), header)
    }

    init(_ sink: any RecordingSink, _ header: DumpHeader) {
        self.sink = sink
        encoder = DumpEncoder(header)
        byteCountLimit = header.format.byteCount
    }

    /// How many frames have been written.
    public var frameCount: Int { encoder.frameCount }

    /// Adds a frame. Its `byteCount` is that of `payload`, which has no more bytes than the header's format allows.
    public func append(_ metadata: FrameMetadata, _ payload: UnsafeRawBufferPointer) throws(CameraError) {
        precondition(payload.count <= byteCountLimit, "a frame has no more bytes than its format")
        if frameCount == 0 {
            try encoder.fileHeader.withBytes { (bytes) throws(CameraError) in try sink.append(bytes) }
        }
        var metadata = metadata
        metadata.byteCount = payload.count
        let header = encoder.nextFrame(metadata, payloadChecksum: Checksum.of(payload))
        try header.withBytes { (bytes) throws(CameraError) in try sink.append(bytes) }
        try sink.append(payload)
        try sink.takeName()
    }

    /// Writes the index and brings everything to the disk. Without a frame there will be no file.
    public func finish(dropped: UInt64 = 0) throws(CameraError) {
        guard frameCount > 0 else { return sink.discard() }
        let index = encoder.index(ofFirst: frameCount, endingAt: sink.byteCount, dropped: dropped)
        try index.withBytes { (bytes) throws(CameraError) in try sink.append(bytes) }
        try sink.finish()
    }
}
