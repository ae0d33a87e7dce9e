// SPDX-License-Identifier: MIT
// The cameras that the user has chosen, newest first, in a file that outlives the program.

import Glibc
import LivecapFiles
import LivecapFrames

/// A camera that the user has chosen.
struct CameraChoice: Hashable, Sendable {
    /// Its identity when it was chosen.
    let identity: String
    /// Its name, for people who read the file.
    let name: String
}

/// The file of choices. Each change replaces it at once, so that a reader sees the old file or the new one.
package struct CameraHistory: Sendable {
    /// What the file says.
    struct Content: Hashable, Sendable {
        /// Newest first.
        var choices: [CameraChoice] = []
        /// What was wrong with the file, for people; nil if nothing was.
        var notice: String?
    }

    /// The file's path.
    let path: String
    /// The file would have to be damaged to be larger than this.
    private static let byteLimit = 64 << 10
    /// Nobody has more cameras; older choices are forgotten.
    static let limit = 32
    private static let heading = "# Cameras chosen in livecap, newest first: id, tab, name."

    /// The user's own: `livecap/cameras` in $XDG_STATE_HOME, or else in ~/.local/state; nil if there is no home folder. As
    /// the XDG Base Directory Specification demands, only an absolute path counts.
    package static var standard: CameraHistory? {
        if let state = pathInEnvironment("XDG_STATE_HOME"), state.hasPrefix("/") {
            return CameraHistory(path: state + "/livecap/cameras")
        }
        let home = pathInEnvironment("HOME") ?? getpwuid(getuid()).map { FileName.text(cString: $0.pointee.pw_dir) }
        return home.map { CameraHistory(path: $0 + "/.local/state/livecap/cameras") }
    }

    /// The file at another path, for tests.
    init(path: String) { self.path = path }

    /// The choices. A file that is damaged, too large or no file is reported, and what can be read of it counts.
    func read() -> Content {
        // A pipe must not block, and a link to a device must not be read.
        let descriptor = path.withFileName { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW) }
        guard descriptor >= 0 else {
            return errno == ENOENT || errno == ENOTDIR ? Content() : unusable(String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return unusable("not a regular file")
        }
        var bytes = [UInt8](repeating: 0, count: Self.byteLimit + 1)
        let count = bytes.withUnsafeMutableBytes { readAll(descriptor, at: 0, into: $0) }
        guard count >= 0 else { return unusable(String(cString: strerror(errno))) }
        guard count <= Self.byteLimit else { return unusable("too large") }
        return content(of: bytes[..<count])
    }

    private func unusable(_ reason: String) -> Content {
        Content(notice: "the choices of cameras in \(path) are ignored: \(reason)")
    }

    private func content(of bytes: ArraySlice<UInt8>) -> Content {
        var content = Content()
        var damaged = 0
        for line in bytes.split(separator: UInt8(ascii: "\n")) where line.first != UInt8(ascii: "#") {
            let parts = line.split(separator: UInt8(ascii: "\t"), maxSplits: 1, omittingEmptySubsequences: false)
            let identity = String(decoding: parts[0], as: UTF8.self)
            guard parts.count == 2, !identity.isEmpty, identity == identity.asIdentityOrPath, identity.utf8.count <= 512
            else {
                damaged += 1
                continue
            }
            guard !content.choices.contains(where: { $0.identity == identity }) else { continue }
            content.choices.append(
                CameraChoice(identity: identity, name: String(decoding: parts[1], as: UTF8.self).onOneLine))
        }
        if damaged > 0 {
            content.notice =
                "\(path) is damaged: \(damaged == 1 ? "one line is" : "\(damaged) lines are") ignored"
        }
        content.choices = Array(content.choices.prefix(Self.limit))
        return content
    }

    /// What was wrong with the file, for people; nil if nothing was.
    package var notice: String? { read().notice }

    /// Makes the camera the newest choice.
    package func choose(_ camera: CameraRecord) throws(FileError) {
        let choice = CameraChoice(identity: camera.identity, name: camera.name.onOneLine)
        try write(([choice] + read().choices.filter { $0.identity != choice.identity }).prefix(Self.limit))
    }

    /// Forgets all choices.
    package func forget() throws(FileError) {
        if unlink(path) != 0, errno != ENOENT, errno != ENOTDIR {
            throw .failed(path, call: "unlink", errno: errno)
        }
    }

    private func write(_ choices: ArraySlice<CameraChoice>) throws(FileError) {
        let folder = makeFolder()
        let lines = [Self.heading] + choices.map { "\($0.identity)\t\($0.name)" }
        let bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
        var file = try TemporaryFile.holding(bytes, in: folder, for: path, FileCalls())
        _ = try file.takeName(path, mayReplace: true)
        try syncFolder(folder, FileCalls())
    }

    /// Creates the file's folder where it is missing. Whether that worked shows when it is used.
    func makeFolder() -> String {
        let folder = path.folderPath
        let folders = folder.split(separator: "/")
        for depth in folders.indices { mkdir("/" + folders[...depth].joined(separator: "/"), 0o700) }
        return folder
    }
}

extension [CameraChoice] {
    /// The place of the newest choice that is this camera, among all cameras; nil if it was never chosen. A name that
    /// fits several of them chooses none.
    func place(of camera: CameraRecord, among cameras: [CameraRecord]) -> Int? {
        firstIndex { choice in
            if cameras.contains(where: { $0.identity == choice.identity }) { return choice.identity == camera.identity }
            let others = cameras.filter { $0.otherNames.contains(choice.identity) }
            return others.count == 1 && others[0].path == camera.path
        }
    }
}

extension String {
    /// The text as identities have it; those of cameras that sysfs does not know are paths.
    fileprivate var asIdentityOrPath: String {
        split(separator: "/", omittingEmptySubsequences: false).map { String($0).asIdentity }.joined(separator: "/")
    }

    /// The text without control characters.
    fileprivate var onOneLine: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }
}
