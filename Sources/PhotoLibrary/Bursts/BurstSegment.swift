// SPDX-License-Identifier: MIT
// A file of kept frames while it grows: a dump, locked by its writer.

import Camera
import DurableFiles
import Frames
import Glibc
import Threads

/// A growing file of kept frames. Any thread may append, and any wait for the disk; who waits holds nobody up.
final class BurstSegment: Sendable {
    let id: BurstID
    private let header: DumpHeader
    private let folder: LibraryFolder
    private let file: Descriptor
    private let state: Guarded<State>

    private struct State {
        var encoder: DumpEncoder
        /// Bytes that are whole records.
        var byteCount: Int
        /// As many of them are on the disk.
        var syncedBytes = 0
        /// Whether the file's own name is.
        var isNameSynced = false
        /// A record that broke off could not be cut off.
        var isBroken = false
    }

    /// Begins a file in the library.
    init(_ header: DumpHeader, in folder: LibraryFolder) throws(LibraryError) {
        var header = header
        let bursts = try folder.makeFolder(LibraryFolder.bursts)
        while true {
            header.recording = .random(in: 1 ... .max)
            let id = BurstID(recording: header.recording)
            let path = folder.path(of: id.place)
            let made = uninterrupted {
                openat(
                    bursts.number, id.fileName, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                    LibraryFolder.filePermissions)
            }
            guard made >= 0 else { throw .fileError(path, call: "open", errno: errno) }
            let file = Descriptor(number: made)
            _ = fchmod(made, LibraryFolder.filePermissions)
            // Somebody who cleans up may have found it before it was locked, and removed it.
            var status = stat()
            guard flock(made, LOCK_EX | LOCK_NB) == 0, fstat(made, &status) == 0, status.st_nlink == 1 else {
                continue
            }
            let encoder = DumpEncoder(header)
            let reason = encoder.fileHeader.withUnsafeBytes { writeAll($0, to: made, folder.calls) }
            guard reason == 0 else {
                unlinkat(bursts.number, id.fileName, 0)
                throw .fileError(path, call: "write", errno: reason)
            }
            (self.id, self.header, self.folder) = (id, header, folder)
            self.file = file
            state = Guarded(State(encoder: encoder, byteCount: encoder.fileHeader.count))
            return
        }
    }

    /// The index makes the dump quick to open. Nothing is lost without it.
    deinit {
        let index = state.withLock { state -> [UInt8]? in
            guard !state.isBroken, state.encoder.frameCount > 0 else { return nil }
            return state.encoder.index(ofFirst: state.encoder.frameCount, endingAt: state.byteCount, dropped: 0)
        }
        if let index { _ = index.withUnsafeBytes { writeAll($0, to: file.number, folder.calls) } }
    }

    var byteCount: Int { state.withLock { $0.byteCount } }
    var isBroken: Bool { state.withLock { $0.isBroken } }
    private var path: String { folder.path(of: id.place) }

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
            var reason = record.withUnsafeBytes { writeAll($0, to: file.number, folder.calls) }
            if reason == 0 { reason = writeAll(bytes, to: file.number, folder.calls) }
            guard reason == 0 else {
                state.encoder.forgetLast()
                if ftruncate(file.number, off_t(state.byteCount)) != 0
                    || lseek(file.number, off_t(state.byteCount), SEEK_SET) < 0
                {
                    state.isBroken = true
                }
                throw .fileError(path, call: "write", errno: reason)
            }
            let offset = state.byteCount + record.count
            state.byteCount = offset + bytes.count
            return KeptFrame(
                id: metadata.id, time: metadata.time, byteCount: bytes.count, ordinal: ordinal, offset: offset,
                checksum: checksum, segment: self)
        }
    }

    /// Waits until its first `count` bytes, and its name, are on the disk.
    func sync(upTo count: Int) throws(LibraryError) {
        let (written, needsData, needsName) = state.withLock {
            ($0.byteCount, $0.syncedBytes < count, !$0.isNameSynced)
        }
        if needsData {
            guard uninterrupted({ folder.calls.syncData(file.number) }) == 0 else {
                throw .fileError(path, call: "fdatasync", errno: errno)
            }
        }
        if needsName {
            guard let bursts = try folder.openFolder(LibraryFolder.bursts) else { throw .missing(path) }
            try folder.sync(bursts.number, path)
        }
        state.withLock {
            if needsData { $0.syncedBytes = max($0.syncedBytes, written) }
            $0.isNameSynced = true
        }
    }

    /// Removes the file, of which nothing was used.
    func discard() { _ = try? folder.remove(id.place) }
}
