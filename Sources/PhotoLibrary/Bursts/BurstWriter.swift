// SPDX-License-Identifier: MIT
// Keeping source frames of one stream: each once, however many photos need it.

import Camera
import Frames
import Threads

/// Keeps source frames of one stream as the driver gave them. Any number of threads may append; a file is begun with the
/// first frame, and followed by another one when it is large enough.
public final class BurstWriter: Sendable {
    private let header: DumpHeader
    private let folder: LibraryFolder
    private let burstBytes: Int
    private let state = Guarded(State())

    private struct State {
        var segment: BurstSegment?
        /// What is in `segment`, and what is in the one before: photos in a row share frames across the two.
        var kept: [FrameID: KeptFrame] = [:]
        var keptBefore: [FrameID: KeptFrame] = [:]
    }

    init(_ header: DumpHeader, in folder: LibraryFolder, burstBytes: Int) {
        (self.header, self.folder, self.burstBytes) = (header, folder, burstBytes)
    }

    /// Appends a frame, which has no more bytes than the header's format allows; one that is kept already is not kept again.
    /// It is on the disk when a photo that uses it has been added, or after `sync`.
    public func append(
        _ metadata: FrameMetadata, _ bytes: UnsafeRawBufferPointer
    ) throws(LibraryError) -> KeptFrame {
        precondition(bytes.count <= header.format.byteCount, "a frame has no more bytes than its format")
        return try state.withLock { state throws(LibraryError) in
            if let kept = state.kept[metadata.id] ?? state.keptBefore[metadata.id], !kept.segment.isBroken {
                return kept
            }
            let segment = try currentSegment(&state)
            let frame = try segment.append(metadata, bytes)
            state.kept[metadata.id] = frame
            return frame
        }
    }

    private func currentSegment(_ state: inout State) throws(LibraryError) -> BurstSegment {
        if let segment = state.segment, segment.byteCount < burstBytes, !segment.isBroken { return segment }
        let broken = state.segment.flatMap { $0.isBroken ? $0 : nil }
        let segment = if let broken { try broken.next() } else { try BurstSegment(header, in: folder) }
        state.segment = segment
        (state.kept, state.keptBefore) = ([:], state.kept)
        return segment
    }

    /// Waits until everything appended so far is on the disk.
    public func sync() throws(LibraryError) {
        let segments = state.withLock { state in
            Set(state.keptBefore.values.map(\.burst)).isEmpty
                ? [state.segment] : [state.keptBefore.values.first?.segment, state.segment]
        }
        for segment in segments.compactMap({ $0 }) { try segment.sync(upTo: segment.byteCount) }
    }
}
