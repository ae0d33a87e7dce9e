// SPDX-License-Identifier: MIT
// The bytes of a movie that is read, as libavformat asks for them.

import Glibc
import LivecapCMovies
import LivecapFiles
import LivecapFrameFiles

/// An open file of bytes. Used by one thread.
final class MovieInput {
    private let descriptor: Int32
    private let byteCount: Int64
    private var position: Int64 = 0

    /// Opens a regular file.
    init(_ path: String) throws(FrameFileError) {
        descriptor = LivecapFiles.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .file(.failed(path, call: "open", errno: errno)) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .notAFile(path)
        }
        byteCount = Int64(status.st_size)
    }

    deinit { close(descriptor) }

    /// The functions that libavformat calls. Valid as long as this object lives.
    var input: lc_movie_input {
        lc_movie_input(
            context: Unmanaged.passUnretained(self).toOpaque(),
            read: { context, bytes, room in MovieInput.of(context).read(bytes, room) },
            seek: { context, offset, whence in MovieInput.of(context).seek(offset, whence) },
            size: { MovieInput.of($0).byteCount })
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> MovieInput {
        Unmanaged<MovieInput>.fromOpaque(context!).takeUnretainedValue()
    }

    private func read(_ bytes: UnsafeMutablePointer<UInt8>?, _ room: Int32) -> Int32 {
        guard room > 0 else { return -EINVAL }
        while true {
            let count = pread(descriptor, bytes, Int(room), off_t(position))
            if count < 0 {
                if errno == EINTR { continue }
                return -errno
            }
            position += Int64(count)
            return Int32(count)
        }
    }

    private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
        let base: Int64 =
            switch whence {
            case SEEK_CUR: position
            case SEEK_END: byteCount
            default: 0
            }
        let (target, isBeyond) = base.addingReportingOverflow(offset)
        guard !isBeyond, target >= 0 else { return Int64(-EINVAL) }
        position = target
        return target
    }
}
