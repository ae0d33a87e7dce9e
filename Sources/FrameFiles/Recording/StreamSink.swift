// SPDX-License-Identifier: MIT
// A recording to a pipe or a device. Bytes are gone once written.

import LivecapFiles

/// A stream as the sink of a recording. Used by one thread at a time.
package final class StreamSink: RecordingSink {
    private let stream: OutputStream
    package private(set) var byteCount = 0

    /// Opens the stream at `path`.
    package init(_ path: String, unless isUnwanted: () -> Bool = { false }) throws(FrameFileError) {
        stream = try FrameFileError.wrapping { () throws(FileError) in
            try OutputStream(path, unless: isUnwanted)
        }
    }

    package func append(_ bytes: UnsafeRawBufferPointer) throws(FrameFileError) {
        try FrameFileError.wrapping { () throws(FileError) in try stream.write(bytes) }
        byteCount += bytes.count
    }

    // A stream has no name, is never synced and cannot be undone.
    package func takeName() throws(FrameFileError) {}
    package func truncate(to byteCount: Int) throws(FrameFileError) {}
    package func finish() throws(FrameFileError) {}
    package func discard() {}
}
