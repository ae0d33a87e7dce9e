// SPDX-License-Identifier: MIT
// A file of kept frames while it grows: a dump, locked by its writer.

import Camera
import DurableFiles
import Frames
import Glibc
import Threads

/// A growing file of kept frames. Any thread may append, and any wait for the disk; who waits holds up nobody who appends.
///
/// Linux reports a failed write once, and then treats the lost pages as written. After a failed sync the file is therefore
/// broken for good: nothing is added to it, every later sync of it fails, and its frames are kept again in another file.
final class BurstSegment: Sendable {
    let id: BurstID
    private let header: DumpHeader
    private let path: String
    /// The file's, which is open as long as this.
    private let descriptor: Int32
    private let folder: LibraryFolder
    /// The folder it is in, open as long as it is.
    private let bursts: Descriptor
    private let state: Guarded<State>
    /// Held during a sync: of two at once, only one would learn of a failure.
    private let syncing = Guarded(())
    private let successor = Guarded(Successor())

    /// What follows a broken file.
    private struct Successor {
        var segment: BurstSegment?
        /// The frames that were kept again in it, by their numbers in the broken file.
        var frames: [UInt64: KeptFrame] = [:]
    }

    private struct State: ~Copyable {
        /// Goes with this, unless the catalogue has something that is in it.
        var file: PendingFile
        var encoder: DumpEncoder
        /// Bytes that are whole records.
        var byteCount: Int
        /// As many of them the disk has been told to begin with.
        var begunBytes = 0
        /// As many of them are on the disk.
        var syncedBytes = 0
        /// Whether the name under which it was begun is.
        var isNameSynced = false
        /// Whether it has its own name.
        var isKept = false
        /// A torn record could not be cut off, or a sync failed.
        var isBroken = false
    }

    /// Begins a file in the library.
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
        (self.id, self.header, self.folder) = (id, header, folder)
        (descriptor, self.path) = (file.descriptor, path)
        self.bursts = bursts
        state = Guarded(State(file: file, encoder: encoder, byteCount: encoder.fileHeader.count))
    }

    /// The index makes the dump quick to open. Nothing is lost without it.
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

    /// When its frames were taken, by the calendar, as far as can be told.
    var madeUTC: Int64 { header.anchor.utcNanoseconds }

    /// Adds a frame. When it throws, the file is as before.
    func append(_ metadata: FrameMetadata, _ bytes: UnsafeRawBufferPointer) throws(LibraryError) -> KeptFrame {
        var metadata = metadata
        metadata.byteCount = bytes.count
        let checksum = Checksum.of(bytes)
        return try state.withLock { state throws(LibraryError) in
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
            beginWriting(&state)
            return KeptFrame(
                metadata: metadata, ordinal: ordinal, offset: offset, checksum: checksum, segment: self)
        }
    }

    /// A frame's bytes. An error where they are not what was appended.
    func bytes(of frame: KeptFrame) throws(LibraryError) -> [UInt8] {
        let bytes = try readBytes(descriptor, path, at: frame.offset, count: frame.byteCount)
        guard bytes.count == frame.byteCount, bytes.withUnsafeBytes({ Checksum.of($0) }) == frame.checksum else {
            throw .damaged(path, detail: "frame \(frame.id) is not what was written")
        }
        return bytes
    }

    /// Has the disk begin with what is there, in whole pieces: who appends behind a page that is on its way waits for it.
    private func beginWriting(_ state: inout State) {
        let whole = state.byteCount / Self.piece * Self.piece
        guard whole > state.begunBytes else { return }
        startWriting(descriptor, from: state.begunBytes, count: whole - state.begunBytes)
        state.begunBytes = whole
    }

    /// As the recorder has it.
    private static let piece = 4 << 20

    /// Waits until its first `count` bytes, and its name, are on the disk.
    func sync(upTo count: Int) throws(LibraryError) {
        try syncing.withLock { _ throws(LibraryError) in
            // Looked at only now: the sync just waited for may have failed, or done all that is needed.
            let (written, needsData, needsName, isBroken) = state.withLock {
                ($0.byteCount, $0.syncedBytes < count, !$0.isNameSynced, $0.isBroken)
            }
            guard !isBroken else { throw .fileError(path, call: "fdatasync", errno: EIO) }
            do throws(LibraryError) {
                if needsData, uninterrupted({ folder.calls.syncData(descriptor) }) != 0 {
                    throw .fileError(path, call: "fdatasync", errno: errno)
                }
                if needsName { try folder.sync(bursts.number, path) }
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

    /// A frame of this file, which is kept again in the next one where this file is broken.
    func keptAgain(_ frame: KeptFrame) throws(LibraryError) -> KeptFrame {
        guard isBroken else { return frame }
        let segment = try next()
        let again = try successor.withLock { successor throws(LibraryError) in
            if let known = successor.frames[frame.ordinal] { return known }
            // Memory still has what the disk may not. The checksum catches a page that was read from the disk since.
            let bytes = try bytes(of: frame)
            let again = try bytes.withUnsafeBufferPointer { (bytes) throws(LibraryError) in
                try segment.append(frame.metadata, UnsafeRawBufferPointer(bytes))
            }
            successor.frames[frame.ordinal] = again
            return again
        }
        return try again.onSoundDisk()
    }

    /// The file that follows this broken one.
    func next() throws(LibraryError) -> BurstSegment {
        let segment = try successor.withLock { successor throws(LibraryError) in
            let segment = if let made = successor.segment { made } else { try BurstSegment(header, in: folder) }
            successor.segment = segment
            return segment
        }
        return segment.isBroken ? try segment.next() : segment
    }

    /// The catalogue has a frame of it: it gets its own name.
    func keep() {
        state.withLock { state in
            guard !state.isKept else { return }
            state.isKept = true
            state.file.keep()
        }
    }

    /// Whether the catalogue has a frame of it is not known.
    func leave() { state.withLock { $0.file.leave() } }
}
