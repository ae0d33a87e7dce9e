// SPDX-License-Identifier: MIT
// A recording to a pipe or a device. Bytes are gone once written.

/// A stream as the sink of a recording. Used by one thread at a time.
package final class StreamSink: RecordingSink {
    private let stream: OutputStream
    package private(set) var byteCount = 0

    /// Opens the stream at `path`.
    package init(_ path: String, unless isUnwanted: () -> Bool = { false }) throws(CameraError) {
        stream = try OutputStream(path, unless: isUnwanted)
    }

    package func append(_ bytes: UnsafeRawBufferPointer) throws(CameraError) {
        try stream.write(bytes)
        byteCount += bytes.count
    }

    // A stream has no name, is never synced and cannot be undone.
    package func takeName() throws(CameraError) {}
    package func truncate(to byteCount: Int) throws(CameraError) {}
    package func finish() throws(CameraError) {}
    package func discard() {}
}
