// SPDX-License-Identifier: MIT
// Replaces a finished MP4 file in fragments by one with its index first.

import Glibc
import LivecapFiles
import LivecapFrameFiles
import LivecapFrames

/// Makes a copy of an MP4 file in fragments that has its index first, and puts it in the file's place. Nothing is
/// decoded. Until the copy is complete and durable, it has no name, and the file is what it was. Used by one thread.
final class IndexedCopy {
    private let path: String
    private let descriptor: Int32
    private let movie: FragmentedMovie
    private let head: [UInt8]

    /// The number of bytes of the copy.
    var byteCount: Int { head.count + movie.mediaBytes }

    /// Reads what is in the file. Others that want to remove it find it locked until this is gone: `flock(2)`.
    init(of path: String) throws(MovieIndexGap) {
        let descriptor = uninterrupted { LivecapFiles.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) }
        guard descriptor >= 0 else { throw .file(.failed(path, call: "open", errno: errno)) }
        do throws(MovieIndexGap) {
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                throw .file(.removed(path))
            }
            // Some file systems have no locks.
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else { throw .inUse }
            movie = try FragmentedMovie(descriptor, path, byteCount: Int(status.st_size))
            head = try MovieIndexTables(movie).head()
        } catch {
            close(descriptor)
            throw error
        }
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// This much of a disk stays free, so that photos and other movies still have room.
    private static let reserve = 64 << 20
    /// The bytes copied between two checks whether the copy is still wanted.
    private static let step = 1 << 20

    /// Makes the copy, and puts it in the file's place. `goesOn` gets the number of bytes written so far, and returns
    /// whether to continue.
    func replace(_ goesOn: (Int) -> Bool) throws(MovieIndexGap) {
        var status = statvfs()
        if fstatvfs(descriptor, &status) == 0 {
            let free = Int(clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).0)
            guard free >= byteCount + Self.reserve else { throw .noRoom(byteCount) }
        }
        let copy = try wrapped { () throws(FrameFileError) in try RecordingFile(path, overwrite: true) }
        do throws(MovieIndexGap) {
            try write(to: copy, goesOn)
            // Only what is on the disk takes the file's place.
            let flusher = try wrapped { () throws(FrameFileError) in try copy.makeFlusher() }
            try wrapped { () throws(FrameFileError) in try flusher.flush() }
            guard goesOn(byteCount) else { throw .stopped }
            try requireInPlace()
        } catch {
            copy.discard()
            throw error
        }
        try wrapped { () throws(FrameFileError) in try copy.finish() }
    }

    private func write(to copy: RecordingFile, _ goesOn: (Int) -> Bool) throws(MovieIndexGap) {
        let head = head
        try wrapped { () throws(FrameFileError) in
            try head.span.bytes.withUnsafeBytes { (bytes) throws(FrameFileError) in try copy.append(bytes) }
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.step, alignment: 4096)
        defer { buffer.deallocate() }
        for range in movie.media {
            var place = range.lowerBound
            while place < range.upperBound {
                guard goesOn(copy.byteCount) else { throw .stopped }
                let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(Self.step, range.upperBound - place)])
                try readFully(descriptor, path, part, at: place)
                try wrapped { () throws(FrameFileError) in try copy.append(UnsafeRawBufferPointer(part)) }
                place += part.count
            }
        }
    }

    /// Checks that the file still has its name: another process may have removed or replaced it.
    private func requireInPlace() throws(MovieIndexGap) {
        var (mine, there) = (stat(), stat())
        guard fstat(descriptor, &mine) == 0, lstat(path, &there) == 0, mine.st_ino == there.st_ino,
            mine.st_dev == there.st_dev
        else { throw .file(.removed(path)) }
    }

    private func wrapped<Result>(_ body: () throws(FrameFileError) -> Result) throws(MovieIndexGap) -> Result {
        do throws(FrameFileError) { return try body() } catch { throw .file(error) }
    }
}
