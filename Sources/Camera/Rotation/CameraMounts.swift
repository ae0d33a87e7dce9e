// SPDX-License-Identifier: MIT
// How the user's cameras are mounted, in a file that outlives the program.

import LivecapFiles

/// The file of mounts, one line per camera that is not mounted upright. It belongs to the camera's identity, so it is
/// that of a physical camera in whatever port, or of a port.
package struct CameraMounts: Sendable {
    /// What the file says.
    package struct Content: Hashable, Sendable {
        fileprivate var mounts: [Entry] = []
        /// What was wrong with the file, for people; nil if nothing was.
        package var notice: String?

        /// The mount of the camera with that identity.
        package func mount(of identity: String) -> CameraMount {
            mounts.first { $0.identity == identity }?.mount ?? .upright
        }
    }

    fileprivate struct Entry: Hashable, Sendable {
        let identity: String
        let mount: CameraMount
        /// For people who read the file.
        let name: String
    }

    private let file: StateFile
    /// Nobody has more cameras; those mounted first are forgotten.
    private static let limit = 256
    private static let heading = "# Cameras not mounted upright: id, tab, turn clockwise and mirroring, tab, name."

    /// The user's own: `livecap/mounts` in the state folder; nil if there is no home folder.
    package static var standard: CameraMounts? { StateFile(standard: "mounts").map { CameraMounts(file: $0) } }

    private init(file: StateFile) { self.file = file }

    /// The file at another path, for tests.
    init(path: String) { file = StateFile(path: path) }

    /// The folder that changes when the file does.
    var folder: String { file.makeFolder() }

    /// The mounts. A file that is damaged, too large or no file is reported, and what can be read of it counts.
    package func read() -> Content {
        let read = file.read()
        if let problem = read.problem {
            return Content(notice: "the mounts of cameras in \(file.path) are ignored: \(problem)")
        }
        var content = Content()
        for line in read.lines {
            let parts = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            guard parts.count == 3, parts[0].isIdentityOrPath, let mount = CameraMount(parts[1]) else { continue }
            guard content.mount(of: parts[0]) == .upright else { continue }
            content.mounts.append(Entry(identity: parts[0], mount: mount, name: parts[2].onOneLine))
        }
        content.notice = file.damage(read.lines.count - content.mounts.count)
        content.mounts = Array(content.mounts.prefix(Self.limit))
        return content
    }

    /// Keeps how a camera is mounted; `upright` forgets it.
    package func set(_ mount: CameraMount, of identity: String, name: String) throws(FileError) {
        let others = read().mounts.filter { $0.identity != identity }
        let all = mount == .upright ? others : [Entry(identity: identity, mount: mount, name: name.onOneLine)] + others
        guard !all.isEmpty else { return try file.remove() }
        try file.write([Self.heading] + all.prefix(Self.limit).map { "\($0.identity)\t\($0.mount.text)\t\($0.name)" })
    }
}
