// SPDX-License-Identifier: MIT
// Keeps source frames of one stream: each once, however many photos need it.

import LivecapFrameFiles
import LivecapFrames
import LivecapThreads

/// Keeps source frames of one stream as the driver delivered them. Any number of threads may append. The first frame
/// creates a file; when a file is large enough, the next one is created.
package final class BurstWriter: Sendable {
    private let header: DumpHeader
    private let folder: LibraryFolder
    private let burstBytes: Int
    private let state = Guarded(State())

    private struct State {
        var segment: BurstSegment?
        /// The frames in `segment`, and those in the file before it: consecutive photos share frames across the two.
        var kept: [FrameID: KeptFrame] = [:]
        var keptBefore: [FrameID: KeptFrame] = [:]
    }

    init(_ header: DumpHeader, in folder: LibraryFolder, burstBytes: Int) {
        self.header = header
        self.folder = folder
        self.burstBytes = burstBytes
    }

    /// Appends a frame, unless it is kept already. The frame must not have more bytes than the header's format allows.
    /// It is durable once a photo that uses it has been added, or after `sync`. The caller has a claim to it.
    package func append(
        _ metadata: FrameMetadata, _ bytes: UnsafeRawBufferPointer
    ) throws(LibraryError) -> KeptFrame {
        precondition(bytes.count <= header.format.byteCount, "a frame has no more bytes than its format")
        return try state.withLock { state throws(LibraryError) in
            if let kept = state.kept[metadata.id] ?? state.keptBefore[metadata.id], !kept.segment.isBroken {
                kept.claim()
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

    /// Frees the room of the newest frames, as far as nobody claims them and no photo has them: after some frames of a
    /// photo did not fit the disk, the others are of no use.
    package func cutBack() {
        state.withLock { state in
            guard let segment = state.segment else { return }
            let left = segment.cutBack()
            state.kept = state.kept.filter { $1.segment !== segment || $1.ordinal < left }
            // Its file goes once nobody has a frame of it.
            if left == 0 { state.segment = nil }
        }
    }

    /// Waits until everything appended so far is durable.
    package func sync() throws(LibraryError) {
        let segments = state.withLock { state in
            Set(state.keptBefore.values.map(\.burst)).isEmpty
                ? [state.segment] : [state.keptBefore.values.first?.segment, state.segment]
        }
        for segment in segments.compactMap({ $0 }) { try segment.sync(upTo: segment.byteCount) }
    }
}
