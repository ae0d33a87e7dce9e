// SPDX-License-Identifier: MIT
// A small file of lines that the user's choices are kept in, and that outlives the program.

import Glibc
import LivecapFiles

/// A file below the user's state folder. Each change replaces it at once, so that a reader sees the old file or the new
/// one.
package struct StateFile: Hashable, Sendable {
    /// What can be read of it.
    package struct Content {
        /// Its lines, without comments.
        package var lines: [ArraySlice<UInt8>] = []
        /// Why the file cannot be used; nil if it can, or does not exist.
        package var problem: String?
    }

    /// Its path.
    package let path: String
    /// The file would have to be damaged to be larger than this.
    private static let byteLimit = 64 << 10

    /// The file at a path.
    package init(path: String) { self.path = path }

    /// The user's own: `livecap/NAME` in $XDG_STATE_HOME, or else in ~/.local/state; nil if there is no home folder. As
    /// the XDG Base Directory Specification demands, only an absolute path counts.
    package init?(standard name: String) {
        if let state = pathInEnvironment("XDG_STATE_HOME"), state.hasPrefix("/") {
            self.init(path: "\(state)/livecap/\(name)")
            return
        }
        let home = pathInEnvironment("HOME") ?? getpwuid(getuid()).map { FileName.text(cString: $0.pointee.pw_dir) }
        guard let home else { return nil }
        self.init(path: "\(home)/.local/state/livecap/\(name)")
    }

    /// Reads it. A file that is too large, or no file, is a problem.
    package func read() -> Content {
        // A pipe must not block, and a link to a device must not be read.
        let descriptor = path.withFileName { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW) }
        guard descriptor >= 0 else {
            return errno == ENOENT || errno == ENOTDIR ? Content() : Content(problem: String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return Content(problem: "not a regular file")
        }
        var bytes = [UInt8](repeating: 0, count: Self.byteLimit + 1)
        let count = bytes.withUnsafeMutableBytes { readAll(descriptor, at: 0, into: $0) }
        guard count >= 0 else { return Content(problem: String(cString: strerror(errno))) }
        guard count <= Self.byteLimit else { return Content(problem: "too large") }
        return Content(
            lines: bytes[..<count].split(separator: UInt8(ascii: "\n")).filter { $0.first != UInt8(ascii: "#") })
    }

    /// Replaces it by these lines.
    package func write(_ lines: [String]) throws(FileError) {
        let folder = makeFolder()
        var file = try TemporaryFile.holding(
            Array((lines.joined(separator: "\n") + "\n").utf8), in: folder, for: path, FileCalls())
        _ = try file.takeName(path, mayReplace: true)
        try syncFolder(folder, FileCalls())
    }

    /// Has `body` read and replace it while nobody else does so in this way: without, one of two changes at the same
    /// time would be lost. Whoever holds it for ten seconds is not waited for any longer.
    package func alone<Result>(_ body: () throws(FileError) -> Result) throws(FileError) -> Result {
        let descriptor = makeFolder().withFileName { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        // Closing it unlocks it. What is wrong with the folder shows when it is used.
        defer { if descriptor >= 0 { close(descriptor) } }
        var tries = descriptor >= 0 ? 1000 : 0
        while tries > 0, flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK || errno == EINTR {
            usleep(10_000)
            tries -= 1
        }
        return try body()
    }

    /// Removes it.
    package func remove() throws(FileError) {
        if unlink(path) != 0, errno != ENOENT, errno != ENOTDIR {
            throw .failed(path, call: "unlink", errno: errno)
        }
    }

    /// Creates its folder where it is missing. Whether that worked shows when it is used.
    func makeFolder() -> String {
        let folder = path.folderPath
        let folders = folder.split(separator: "/")
        for depth in folders.indices { mkdir("/" + folders[...depth].joined(separator: "/"), 0o700) }
        return folder
    }

    /// What to say of lines that are damaged; nil if there are none.
    package func damage(_ count: Int) -> String? {
        count == 0 ? nil : "\(path) is damaged: \(count == 1 ? "one line is" : "\(count) lines are") ignored"
    }
}

extension String {
    /// Whether the text can be an identity; those of cameras that sysfs does not know are paths.
    package var isIdentityOrPath: Bool {
        let written = split(separator: "/", omittingEmptySubsequences: false).map { String($0).asIdentity }
        return !isEmpty && utf8.count <= 512 && self == written.joined(separator: "/")
    }

    /// The text without control characters.
    var onOneLine: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }
}
