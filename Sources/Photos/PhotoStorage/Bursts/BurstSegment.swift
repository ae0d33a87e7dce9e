// SPDX-License-Identifier: MIT
// A growing file of kept frames: a dump, locked by its writer.

import Glibc
import LivecapFiles
import LivecapFrameFiles
import LivecapFrames
import LivecapThreads

/// A growing file of kept frames. Any thread may append, and any thread may wait for the disk without blocking those
/// that append.
///
/// Linux reports a failed write once, and from then on treats the lost pages as written. After a failed sync the file
/// is therefore broken for good: nothing is appended to it, every later sync of it fails, and its frames are kept again
/// in another file.
final class BurstSegment: Sendable {
    let id: BurstID
    private let header: DumpHeader
    private let path: String
    /// The file's descriptor, open as long as this object.
    private let descriptor: Int32
    private let folder: LibraryFolder
    /// The folder that contains it, open as long as the file.
    private let bursts: Descriptor
    /// How often names had been lost before it was created.
    private let losses: Int
    private let state: Guarded<State>
    /// Locked during a sync: if two ran at once, only one of them would learn of a failure.
    private let syncing = Guarded(())
    private let successor = Guarded(Successor())

    /// The file that replaces a broken one.
    private struct Successor {
        var segment: BurstSegment?
        /// The frames kept again in it, by their numbers in the broken file.
        var frames: [UInt64: KeptFrame] = [:]
    }

    private struct State: ~Copyable {
        /// Removed with this object, unless the catalogue has a frame of it.
        var file: PendingFile
        var encoder: DumpEncoder
        /// The number of bytes that are complete records.
        var byteCount: Int
        /// How many of them the system was asked to start writing.
        var begunBytes = 0
        /// How many of them are durable.
        var syncedBytes = 0
        /// How many of them photos in the catalogue have, or may have.
        var storedBytes = 0
        /// How many users each frame has, by its number. Frames without users are absent.
        var claims: [UInt64: Int] = [:]
        /// Whether its initial, hidden name is durable.
        var isNameSynced = false
        /// Whether it has its own name.
        var isKept = false
        /// Whether a torn record could not be cut off, or a sync failed.
        var isBroken = false
    }

    /// Creates a file in the library.
    init(_ header: DumpHeader, in folder: LibraryFolder) throws(LibraryError) {
        var header = header
        let bursts = try folder.makeFolder(LibraryFolder.bursts)
        header.recording = .random(in: 1 ... .max)
        let id = BurstID(recording: header.recording)
        let path = folder.path(of: id.place)
        guard let file = try PendingFile(id.fileName, in: bursts.number, of: folder, path: path) else {
            throw .alreadyThere(path)
        }
        let encoder = DumpEncoder(header)
        try file.write(encoder.fileHeader)
        self.id = id
        self.header = header
        self.folder = folder
        descriptor = file.descriptor
        losses = file.losses
        self.path = path
        self.bursts = bursts
        state = Guarded(State(file: file, encoder: encoder, byteCount: encoder.fileHeader.count))
    }

    /// Appends the index, which makes the dump quick to open. Nothing is lost without it.
    deinit {
        state.withLock { state in
            guard state.isKept, !state.isBroken else { return }
            let index = state.encoder.index(
                ofFirst: state.encoder.frameCount, endingAt: state.byteCount, dropped: 0)
            _ = index.withUnsafeBytes { writeAll($0, to: descriptor, folder.calls) }
        }
    }

    var byteCount: Int { state.withLock { $0.byteCount } }
    var isBroken: Bool { state.withLock { $0.isBroken } }

    /// Roughly when its frames were taken: the UTC time of the recording's clock anchor, in nanoseconds since 1970.
    var madeUTC: Int64 { header.anchor.calendar.utcNanoseconds }

    /// Appends a frame, with one claim. If it throws, the file is as before.
    func append(_ metadata: FrameMetadata, _ bytes: UnsafeRawBufferPointer) throws(LibraryError) -> KeptFrame {
        var metadata = metadata
        metadata.byteCount = bytes.count
        let checksum = Checksum.of(bytes)
        return try state.withLock { state throws(LibraryError) in
            // A photo whose frames do not fit is stored without them, which takes less than one of them and some of the
            // log.
            guard DiskRoom.free(around: descriptor) >= 2 * bytes.count + DiskRoom.besideFrames else {
                throw .fileError(path, call: "write", errno: ENOSPC)
            }
            let ordinal = UInt64(state.encoder.frameCount)
            let record = state.encoder.nextFrame(metadata, payloadChecksum: checksum)
            var reason = record.withUnsafeBytes { writeAll($0, to: descriptor, folder.calls) }
            if reason == 0 { reason = writeAll(bytes, to: descriptor, folder.calls) }
            guard reason == 0 else {
                state.encoder.forgetLast()
                if ftruncate(descriptor, off_t(state.byteCount)) != 0
                    || lseek(descriptor, off_t(state.byteCount), SEEK_SET) < 0
                {
                    state.isBroken = true
                }
                throw .fileError(path, call: "write", errno: reason)
            }
            let offset = state.byteCount + record.count
            state.byteCount = offset + bytes.count
            state.claims[ordinal] = 1
            beginWriting(&state)
            return KeptFrame(
                metadata: metadata, ordinal: ordinal, offset: offset, checksum: checksum, segment: self)
        }
    }

    /// A frame's bytes. Throws if they are not those appended.
    func bytes(of frame: KeptFrame) throws(LibraryError) -> [UInt8] {
        let bytes = try readBytes(descriptor, path, at: frame.offset, count: frame.byteCount)
        guard bytes.count == frame.byteCount, bytes.withUnsafeBytes({ Checksum.of($0) }) == frame.checksum else {
            throw .damaged(path, detail: "frame \(frame.id) is not what was written")
        }
        return bytes
    }

    /// Starts writing the bytes so far to disk, in whole pieces: an append to a page that is being written would wait
    /// for it.
    private func beginWriting(_ state: inout State) {
        let whole = state.byteCount / Self.piece * Self.piece
        guard whole > state.begunBytes else { return }
        startWriting(descriptor, from: state.begunBytes, count: whole - state.begunBytes)
        state.begunBytes = whole
    }

    /// The size of such a piece, as for the recorder.
    private static let piece = 4 << 20

    /// Waits until its first `count` bytes, and its name, are durable.
    func sync(upTo count: Int) throws(LibraryError) {
        try syncing.withLock { _ throws(LibraryError) in
            // Checked only under the lock: the sync that held it may have failed, or done everything needed.
            let (written, needsData, needsName, isBroken) = state.withLock {
                ($0.byteCount, $0.syncedBytes < count, !$0.isNameSynced, $0.isBroken)
            }
            guard !isBroken else { throw .fileError(path, call: "fdatasync", errno: EIO) }
            do throws(LibraryError) {
                if needsData, uninterrupted({ folder.calls.syncData(descriptor) }) != 0 {
                    throw .fileError(path, call: "fdatasync", errno: errno)
                }
                if needsName { try folder.sync(bursts.number, path, since: losses) }
            } catch {
                state.withLock { $0.isBroken = true }
                throw error
            }
            state.withLock {
                if needsData { $0.syncedBytes = max($0.syncedBytes, written) }
                $0.isNameSynced = true
            }
        }
    }

    /// Returns the frame itself, or, if this file is broken, the same frame kept again in the next file.
    func keptAgain(_ frame: KeptFrame) throws(LibraryError) -> KeptFrame {
        guard isBroken else { return frame }
        let segment = try next()
        let again = try successor.withLock { successor throws(LibraryError) in
            if let known = successor.frames[frame.ordinal] { return known }
            // The page cache still has bytes that the disk may lack. The checksum detects a page reread from disk
            // since.
            let bytes = try bytes(of: frame)
            let again = try bytes.withUnsafeBufferPointer { (bytes) throws(LibraryError) in
                try segment.append(frame.metadata, UnsafeRawBufferPointer(bytes))
            }
            successor.frames[frame.ordinal] = again
            return again
        }
        return try again.onSoundDisk()
    }

    /// The file that replaces this broken one.
    func next() throws(LibraryError) -> BurstSegment {
        let segment = try successor.withLock { successor throws(LibraryError) in
            let segment = if let made = successor.segment { made } else { try BurstSegment(header, in: folder) }
            successor.segment = segment
            return segment
        }
        return segment.isBroken ? try segment.next() : segment
    }

    /// Adds a user of a frame that has one already.
    func claim(_ ordinal: UInt64) { state.withLock { $0.claims[ordinal, default: 0] += 1 } }

    /// Ends what `append` or `claim` began.
    func release(_ ordinal: UInt64) {
        state.withLock { state in
            guard let count = state.claims[ordinal] else { return }
            state.claims[ordinal] = count > 1 ? count - 1 : nil
        }
    }

    /// Cuts off the frames at the end that have no user and no photo, so that the disk has their room again. Returns
    /// the number of frames that are left.
    func cutBack() -> Int {
        // A sync that began before would otherwise count bytes as durable that are written after.
        syncing.withLock { _ in
            state.withLock { state in
                let whole = state.byteCount
                while !state.isBroken, state.encoder.frameCount > 0, state.byteCount > state.storedBytes,
                    state.claims[UInt64(state.encoder.frameCount - 1)] == nil
                {
                    state.byteCount -= state.encoder.lastRecordBytes
                    state.encoder.forgetLast()
                }
                guard state.byteCount < whole else { return state.encoder.frameCount }
                state.begunBytes = min(state.begunBytes, state.byteCount)
                state.syncedBytes = min(state.syncedBytes, state.byteCount)
                if ftruncate(descriptor, off_t(state.byteCount)) != 0
                    || lseek(descriptor, off_t(state.byteCount), SEEK_SET) < 0
                {
                    state.isBroken = true
                }
                return state.encoder.frameCount
            }
        }
    }

    /// Gives the file its own name, after the catalogue has stored a frame of it that ends at `end`.
    func keep(upTo end: Int) {
        state.withLock { state in
            state.storedBytes = max(state.storedBytes, end)
            guard !state.isKept else { return }
            state.isKept = true
            state.file.keep()
        }
    }

    /// Leaves the file in place when it is unknown whether the catalogue has a frame of it that ends at `end`.
    func leave(upTo end: Int) {
        state.withLock { state in
            state.storedBytes = max(state.storedBytes, end)
            state.file.leave()
        }
    }
}
