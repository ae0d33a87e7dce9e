// SPDX-License-Identifier: MIT
// Where a movie's bytes go: into a file, or through a pipe.

import LivecapFiles
import LivecapFrameFiles

/// What a movie is written to. Used by the movie's thread.
protocol MovieDestination: RecordingSink {
    /// The path it has, or is to have.
    var path: String { get }
    /// Whether bytes are gone once written: nothing can be written over, and nothing is brought to a disk.
    var isStream: Bool { get }
    /// Whether it still has its name.
    var isInPlace: Bool { get }
    /// Replaces bytes that were appended before.
    func rewrite(_ bytes: UnsafeRawBufferPointer, at position: Int) throws(FrameFileError)
}

extension RecordingFile: MovieDestination {
    var isStream: Bool { false }
}

/// A pipe or a device that a movie is written to.
final class MovieStreamSink: MovieDestination {
    let path: String
    private let sink: StreamSink

    init(_ path: String) throws(FrameFileError) {
        self.path = path
        sink = try StreamSink(path)
    }

    var isStream: Bool { true }
    var isInPlace: Bool { true }
    var byteCount: Int { sink.byteCount }

    func append(_ bytes: UnsafeRawBufferPointer) throws(FrameFileError) { try sink.append(bytes) }
    func rewrite(_ bytes: UnsafeRawBufferPointer, at position: Int) throws(FrameFileError) {
        preconditionFailure("a stream is not written over")
    }
    func takeName() throws(FrameFileError) { try sink.takeName() }
    func truncate(to byteCount: Int) throws(FrameFileError) { try sink.truncate(to: byteCount) }
    func finish() throws(FrameFileError) { try sink.finish() }
    func discard() { sink.discard() }
}

/// Opens what a path leads to.
func openMovieDestination(
    _ path: String, overwrite: Bool, orAt nextPath: (() -> String?)?
) throws(FrameFileError) -> any MovieDestination {
    guard OutputTarget(path) == .stream else { return try RecordingFile(path, overwrite: overwrite, orAt: nextPath) }
    return try MovieStreamSink(path)
}
