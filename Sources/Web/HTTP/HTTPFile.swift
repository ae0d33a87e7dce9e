// SPDX-License-Identifier: MIT
// A file to be sent, or a part of it.

import Glibc

/// An open file and the part of it that is sent.
package final class HTTPFile: Sendable {
    package let descriptor: Int32
    /// The part to send.
    package let range: Range<UInt64>
    /// The size of the whole file.
    package let fileSize: UInt64
    /// When it was last written, since the beginning of 1970.
    package let changed: Duration
    /// What is released when the file is closed.
    private let keeping: (any AnyObject & Sendable)?

    /// Takes an open file over; nil if it is not a regular one. Keeps an object until nobody needs the file any more.
    package init?(taking descriptor: Int32, keeping: (any AnyObject & Sendable)? = nil) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        self.keeping = keeping
        fileSize = UInt64(status.st_size)
        changed = .seconds(status.st_mtim.tv_sec) + .nanoseconds(status.st_mtim.tv_nsec)
        range = 0..<fileSize
    }

    /// A part of the same file; nil if the system has no descriptor left.
    package init?(_ range: Range<UInt64>, of file: HTTPFile) {
        descriptor = fcntl(file.descriptor, F_DUPFD_CLOEXEC, 3)
        guard descriptor >= 0 else { return nil }
        self.range = range
        fileSize = file.fileSize
        changed = file.changed
        keeping = file.keeping
    }

    deinit { close(descriptor) }
}

extension HTTPFile {
    /// The answer to a request for the file, or for the one range of it that the request's `Range` header names.
    package func response(to request: HTTPRequest, type: String) -> HTTPResponse {
        let whole = HTTPResponse(type: type, .file(self)).with("Accept-Ranges", "bytes")
        guard let header = request.header("range"), header.hasPrefix("bytes="), !header.contains(",") else {
            return whole
        }
        guard let range = Self.range(header.dropFirst(6), of: fileSize) else {
            return HTTPResponse(416).with("Content-Range", "bytes */\(fileSize)")
        }
        guard let part = HTTPFile(range, of: self) else { return whole }
        return HTTPResponse(206, type: type, .file(part)).with("Accept-Ranges", "bytes")
            .with("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(fileSize)")
    }

    /// The bytes that `FIRST-LAST`, `FIRST-` or `-COUNT` means; nil if it means none.
    static func range(_ text: Substring, of size: UInt64) -> Range<UInt64>? {
        let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else {
            return nil
        }
        if ends[0].isEmpty {
            guard let count = UInt64(ends[1]), count > 0, size > 0 else { return nil }
            return size - min(count, size)..<size
        }
        guard let first = UInt64(ends[0]), first < size else { return nil }
        guard !ends[1].isEmpty else { return first..<size }
        guard let last = UInt64(ends[1]), last >= first else { return nil }
        return first..<min(last, size - 1) + 1
    }
}
