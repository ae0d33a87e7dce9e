// SPDX-License-Identifier: MIT
// A file of frames, written anew for other programs.

import Camera
import Frames

/// What became of an export.
public struct FrameExport: Hashable, Sendable {
    /// Frames written.
    public private(set) var frames = 0
    /// Frames that are damaged, or cannot be decoded, and were left out.
    public private(set) var leftOut = 0
    /// Bytes written.
    public private(set) var byteCount = 0

    /// Writes the frames of `file` to `path`; nil, and nothing is left but whole pictures of a folder, where `isUnwanted` came to
    /// hold. A file has its name when it is whole and on the disk. `progress` gets the number of frames looked at.
    public init?(
        _ file: any FrameFile, to path: String, as kind: MovieKind, overwrite: Bool = false,
        unless isUnwanted: () -> Bool = { false }, progress: (Int) -> Void = { _ in }
    ) throws(CameraError) {
        let count = file.frameCount
        let span = count > 0 ? file.metadata(count - 1).time - file.metadata(0).time : nil
        let header = (file as? DumpReader)?.header
        let writer = try kind.writer(
            path, file.description, anchor: header.flatMap { $0.clock == .monotonic ? $0.anchor : nil }, span: span,
            overwrite: overwrite, isGrowing: false)
        do throws(CameraError) {
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
                throw .badFile(
                    file.description.name, detail: "no frame in it can be decoded",
                    hint: "'livecap info FILE' says more")
            }
            try writer.finish()
        } catch {
            writer.discard()
            throw error
        }
        byteCount = writer.byteCount
    }
}
