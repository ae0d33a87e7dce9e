// SPDX-License-Identifier: MIT
// What every file of frames offers, whatever its format: a description, and frames by number.

import FrameRing
import Frames

/// A file of frames, opened and measured. Immutable and usable from any thread; the file beneath may change, be cut or
/// grow: frames then come out marked as damaged, nothing traps.
public protocol FrameFile: AnyObject, Sendable {
    /// Who took the frames and what they are. The clock is the file's own.
    var description: SourceDescription { get }
    /// How many frames there are.
    var frameCount: Int { get }
    /// The most bytes any of them has.
    var largestFrame: Int { get }
    /// What opening the file found wrong with it.
    var health: FileHealth { get }

    /// What is known of frame `index` without looking at its bytes.
    func metadata(_ index: Int) -> FrameMetadata

    /// Reads frame `index` into `bytes`, which hold at least its `byteCount`, and says what it proved to be: damaged
    /// when its checksum does not match or the file has become shorter. Throws only when the system cannot read.
    func read(_ index: Int, into bytes: UnsafeMutableRawBufferPointer) throws(CameraError) -> FrameMetadata

    /// Whether what the file itself keeps about frame `index` is whole. Always so where it keeps nothing.
    func isRecordIntact(_ index: Int) throws(CameraError) -> Bool
}

extension FrameFile {
    /// Nothing is kept, so nothing is damaged.
    public func isRecordIntact(_ index: Int) throws(CameraError) -> Bool { true }
}

/// What opening a file found wrong with it. Nothing here keeps the other frames from being read.
public struct FileHealth: Hashable, Sendable {
    /// How things stand with a file's index.
    public enum Index: String, Hashable, Sendable {
        /// The format has none.
        case none
        /// It is there and matches.
        case intact
        /// It was damaged, or not written yet, and the frames were found by searching.
        case rebuilt
    }

    /// How things stand with the index.
    public var index = Index.none
    /// Frames known to have been in stretches that are damaged beyond finding them.
    public var lostFrames = 0
    /// How many such stretches there are.
    public var damagedStretches = 0
    /// Bytes at the end that are no whole frame: a recording that was interrupted.
    public var tornBytes = 0

    /// Nothing wrong.
    public init() {}

    /// Whether the file is as its writer left it.
    public var isIntact: Bool { index != .rebuilt && lostFrames == 0 && damagedStretches == 0 && tornBytes == 0 }
}

/// A file of frames in figures.
public struct FrameFileSummary: Hashable, Sendable {
    /// How many frames there are.
    public var frames = 0
    /// Places where frames are missing.
    public var gaps = 0
    /// Frames missing there, as far as is known.
    public var lost = 0
    /// Frames marked as damaged; with their bytes read, also those whose bytes are not what was recorded.
    public var damaged = 0
    /// Frames whose record header is damaged but whose copy in the index is not. Known when the bytes were read.
    public var repaired = 0
    /// The first frame's time.
    public var first: Timestamp?
    /// The last frame's time.
    public var last: Timestamp?
    /// Bytes of all frames.
    public var bytes = 0
    /// Restarts, and holes in time.
    public var continuity = Continuity()

    /// No frames.
    public init() {}
}

extension FrameFile {
    /// Memory for the largest frame, in its one region, to `read` into.
    public func makeFrameMemory() throws(CameraError) -> SlotMemory {
        guard let memory = SlotMemory.slabs(count: 1, bytesEach: max(1, largestFrame), lazily: true) else {
            throw .noMemory(bytes: largestFrame)
        }
        return memory
    }

    /// The file in figures; `verifying` reads every byte and checks it, telling `progress` how many frames it has read.
    public func summary(
        verifying: Bool, progress: (Int) -> Void = { _ in }
    ) throws(CameraError) -> FrameFileSummary {
        var summary = FrameFileSummary()
        let memory: SlotMemory? = verifying ? try makeFrameMemory() : nil
        for index in 0..<frameCount {
            let frame = if let memory { try read(index, into: memory.regions[0]) } else { metadata(index) }
            if verifying, try !isRecordIntact(index) { summary.repaired += 1 }
            summary.frames += 1
            if frame.flags.contains(.gapBefore) { summary.gaps += 1 }
            summary.lost += Int(frame.lostBefore)
            if !frame.isUsable { summary.damaged += 1 }
            if summary.first == nil { summary.first = frame.time }
            summary.last = frame.time
            summary.bytes += frame.byteCount
            progress(summary.frames)
        }
        summary.continuity = Continuity(count: frameCount, rate: description.rate, metadata)
        return summary
    }
}
