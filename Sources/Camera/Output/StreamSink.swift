// SPDX-License-Identifier: MIT
// A recording through a pipe or a device: bytes are gone once they are written.

/// A stream as a recording's sink. One thread at a time.
package final class StreamSink: RecordingSink {
    private let stream: OutputStream
    package private(set) var byteCount = 0

    /// Opens what `path` stands for.
    package init(_ path: String) throws(CameraError) { stream = try OutputStream(path) }

    package func append(_ bytes: UnsafeRawBufferPointer) throws(CameraError) {
        try stream.write(bytes)
        byteCount += bytes.count
    }

    // It has no name, no disk, and no way back.
    package func takeName() throws(CameraError) {}
    package func truncate(to byteCount: Int) throws(CameraError) {}
    package func finish() throws(CameraError) {}
    package func discard() {}
}
