// SPDX-License-Identifier: MIT
// Converts a file of frames to a format other programs read.

import Fusion
import LivecapFrameFiles
import LivecapFrames

/// Exports a file of frames, and holds the counts of the result.
package struct FrameExport: Hashable, Sendable {
    /// The number of frames written.
    package private(set) var frames = 0
    /// The number of frames left out because they are damaged or cannot be decoded.
    package private(set) var leftOut = 0
    /// The number of bytes written.
    package private(set) var byteCount = 0

    /// Writes the frames of `file` to `path`. The output file gets its name once it is complete and durable.
    ///
    /// Returns nil if `isUnwanted` returns true before the end. Nothing is left behind then, except complete pictures
    /// in a folder. `progress` is called with the number of frames read so far.
    /// - Throws: `badFile`, before anything is written, if frames are too large to convert, or if that would take more
    ///   than `memory` bytes.
    package init?(
        _ file: any FrameFile, to path: String, as kind: MovieKind, overwrite: Bool = false,
        memory: Int = ThreadPool.physicalMemory, unless isUnwanted: () -> Bool = { false },
        progress: (Int) -> Void = { _ in }
    ) throws(FrameFileError) {
        let count = file.frameCount
        let span = count > 0 ? file.metadata(count - 1).time - file.metadata(0).time : nil
        let writer: any FrameWriter
        do throws(FrameFileError) {
            writer = try kind.writer(
                path, file.description, anchor: file.description.anchor, span: span, overwrite: overwrite,
                isGrowing: false, memory: memory, unless: isUnwanted)
        } catch {
            guard error == .file(.interrupted) else { throw error }
            return nil
        }
        do throws(FrameFileError) {
            let memory = try file.makeFrameMemory()
            defer { withExtendedLifetime(memory) {} }
            for index in 0..<count {
                guard !isUnwanted() else {
                    writer.discard()
                    return nil
                }
                let frame = try file.read(index, into: memory.regions[0])
                let bytes = UnsafeRawBufferPointer(rebasing: memory.regions[0][..<frame.byteCount])
                if try writer.append(frame, bytes.bytes) { frames += 1 } else { leftOut += 1 }
                progress(index + 1)
            }
            guard frames > 0 else {
                throw .undecodable(file.description.name)
            }
            try writer.flush()
            try writer.finish()
        } catch {
            writer.discard()
            throw error
        }
        byteCount = writer.byteCount
    }
}
