// SPDX-License-Identifier: MIT
// The interface that files of frames share whatever their format: a description, and frames by number.

import FrameRing
import LivecapFrames

/// A file of frames, opened and indexed. Immutable and usable from any thread. The file on disk may be changed,
/// truncated or extended meanwhile: frames are then marked as damaged, and nothing traps.
package protocol FrameFile: AnyObject, Sendable {
    /// The source of the frames and their format. The clock is the file's own.
    var description: SourceDescription { get }
    /// The number of frames.
    var frameCount: Int { get }
    /// The size of the largest frame in bytes.
    var largestFrame: Int { get }
    /// Problems found when the file was opened.
    var health: FileHealth { get }

    /// The metadata of frame `index`, without reading its bytes.
    func metadata(_ index: Int) -> FrameMetadata

    /// Reads frame `index` into `bytes`, which must hold at least its `byteCount`, and returns its metadata. The frame
    /// is marked as damaged if its checksum does not match or the file has become shorter. Throws only if the system
    /// cannot read.
    func read(_ index: Int, into bytes: UnsafeMutableRawBufferPointer) throws(FrameFileError) -> FrameMetadata

    /// Whether the file's own record of frame `index` is undamaged. Always true for formats that keep no records.
    func isRecordIntact(_ index: Int) throws(FrameFileError) -> Bool
}

extension FrameFile {
    /// A format without records has nothing to damage.
    package func isRecordIntact(_ index: Int) throws(FrameFileError) -> Bool { true }
}

/// Problems found when a file was opened. None of them prevents reading the other frames.
package struct FileHealth: Hashable, Codable, Sendable {
    /// The state of a file's index.
    package enum Index: String, Hashable, Codable, Sendable {
        /// The format has no index.
        case none
        /// The index is present and matches.
        case intact
        /// The index was damaged, or not written yet, and the frames were found by searching.
        case rebuilt
    }

    /// The state of the index.
    package var index = Index.none
    /// Frames known to be missing: lost in damaged stretches, or cut out whole.
    package var lostFrames = 0
    /// The number of damaged stretches.
    package var damagedStretches = 0
    /// Bytes at the end that do not form a complete frame, as an interrupted recording leaves them.
    package var tornBytes = 0

    /// Creates the health of a file without problems.
    package init() {}

    /// Whether the file is as its writer left it.
    package var isIntact: Bool { index != .rebuilt && lostFrames == 0 && damagedStretches == 0 && tornBytes == 0 }
}

/// The contents of a file of frames in figures.
package struct FrameFileSummary: Hashable, Codable, Sendable {
    /// The number of frames.
    package var frames = 0
    /// Places where frames are missing.
    package var gaps = 0
    /// Frames missing at those places, as far as is known.
    package var lost = 0
    /// Frames marked as damaged. If their bytes were read, also those whose bytes differ from what was recorded.
    package var damaged = 0
    /// Frames that are as they were recorded and cannot be decoded. Known only if the bytes were read and checked.
    package var undecodable = 0
    /// Frames whose record header is damaged but whose copy in the index is not. Known only if the bytes were read.
    package var repaired = 0
    /// The first frame's time.
    package var first: Timestamp?
    /// The last frame's time.
    package var last: Timestamp?
    /// The total size of all frames in bytes.
    package var bytes = 0
    /// Restarts of the stream, and holes in time.
    package var continuity = Continuity()

    /// Creates the summary of a file without frames.
    package init() {}
}

extension FrameFile {
    /// Allocates memory for the largest frame, in one region, for `read` to fill.
    package func makeFrameMemory() throws(FrameFileError) -> SlotMemory {
        guard let memory = SlotMemory.slabs(count: 1, bytesEach: max(1, largestFrame), lazily: true) else {
            throw .noMemory(bytes: largestFrame)
        }
        return memory
    }

    /// Summarises the file. With `verifying`, reads and verifies every byte. Calls `progress` with the number of frames
    /// done so far.
    package func summary(
        verifying: Bool, isSound: (RawSpan) -> Bool = { _ in true }, progress: (Int) -> Void = { _ in }
    ) throws(FrameFileError) -> FrameFileSummary {
        var summary = FrameFileSummary()
        let memory: SlotMemory? = verifying ? try makeFrameMemory() : nil
        for index in 0..<frameCount {
            let frame = if let memory { try read(index, into: memory.regions[0]) } else { metadata(index) }
            if verifying, try !isRecordIntact(index) { summary.repaired += 1 }
            summary.frames += 1
            if frame.flags.contains(.gapBefore) { summary.gaps += 1 }
            summary.lost += Int(frame.lostBefore)
            if !frame.isUsable {
                summary.damaged += 1
            } else if let memory {
                let bytes = UnsafeRawBufferPointer(rebasing: memory.regions[0][..<frame.byteCount])
                if !isSound(bytes.bytes) { summary.undecodable += 1 }
            }
            if summary.first == nil { summary.first = frame.time }
            summary.last = frame.time
            summary.bytes += frame.byteCount
            progress(summary.frames)
        }
        summary.continuity = Continuity(count: frameCount, rate: description.rate, metadata)
        return summary
    }
}
