// SPDX-License-Identifier: MIT
// The effects that are kept for each camera, by name, in a file that outlives the program.

import Camera
import LivecapEffects
import LivecapFiles

/// The file of kept effects, one line per name of a camera.
struct KeptEffects: Sendable {
    /// What was drawn last is kept under this name.
    static let lastName = "last"

    /// A camera's effects of a name.
    struct Entry: Hashable, Sendable {
        let camera: String
        let name: String
        /// As `EffectSettings` writes them.
        let list: String
    }

    /// What the file says.
    struct Content: Hashable, Sendable {
        /// The newest first.
        fileprivate(set) var entries: [Entry] = []
        /// What was wrong with the file, for people; nil if nothing was.
        fileprivate(set) var notice: String?

        /// The effects of a name; nil if there are none.
        func list(_ name: String, of camera: String) -> String? {
            let key = KeptEffects.key(camera)
            return entries.first { $0.camera == key && $0.name == name }?.list
        }

        /// The names of a camera's effects, the newest first.
        func names(of camera: String) -> [String] {
            let key = KeptEffects.key(camera)
            return entries.filter { $0.camera == key }.map(\.name)
        }
    }

    private let file: StateFile
    /// Nobody has more; the oldest are forgotten.
    private static let limit = 256
    private static let heading = "# Effects for cameras: id, tab, name, tab, the effects."

    /// The user's own: `livecap/effects` in the state folder; nil if there is no home folder.
    static var standard: KeptEffects? { StateFile(standard: "effects").map { KeptEffects(file: $0) } }

    private init(file: StateFile) { self.file = file }

    /// The file at a path.
    init(path: String) { file = StateFile(path: path) }

    /// Whether effects can be kept under this name, which is one word.
    static func isName(_ name: String) -> Bool { ControlProfiles.isName(name) }

    /// Whether a list can stand in the file. The path of a picture may have any characters.
    static func isKeepable(_ list: String) -> Bool {
        !list.isEmpty && list.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    /// What a camera is called in the file. The ids of scenes have characters that a file of lines should not have.
    static func key(_ camera: String) -> String {
        let parts = camera.split(separator: "/", omittingEmptySubsequences: false).map { String($0).asIdentity }
        return camera.isEmpty ? "_" : String(parts.joined(separator: "/").prefix(512))
    }

    /// All that are kept. A file that is damaged, too large or no file is reported, and what can be read of it counts.
    func read() -> Content {
        let read = file.read()
        if let problem = read.problem {
            return Content(notice: "the effects that are kept in \(file.path) are ignored: \(problem)")
        }
        var content = Content()
        for line in read.lines {
            let parts = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
                .map { String(validating: $0, as: UTF8.self) ?? "" }
            guard parts.count == 3, parts[0].isIdentityOrPath, Self.isName(parts[1]), Self.isKeepable(parts[2]),
                content.list(parts[1], of: parts[0]) == nil
            else { continue }
            content.entries.append(Entry(camera: parts[0], name: parts[1], list: parts[2]))
        }
        content.notice = file.damage(read.lines.count - content.entries.count)
        content.entries = Array(content.entries.prefix(Self.limit))
        return content
    }

    /// Keeps effects for a camera. Their list must be one that is keepable.
    func save(_ settings: EffectSettings, as name: String, of camera: String) throws(FileError) {
        let entry = Entry(camera: Self.key(camera), name: name, list: settings.list)
        precondition(Self.isName(name), "'\(name)' is no name")
        try file.alone { () throws(FileError) in
            try write([entry] + others(than: name, of: entry.camera))
        }
    }

    /// Forgets a camera's effects of a name. Returns false if there are none.
    func remove(_ name: String, of camera: String) throws(FileError) -> Bool {
        try file.alone { () throws(FileError) in
            guard read().list(name, of: camera) != nil else { return false }
            try write(others(than: name, of: Self.key(camera)))
            return true
        }
    }

    private func others(than name: String, of key: String) -> [Entry] {
        read().entries.filter { $0.camera != key || $0.name != name }
    }

    private func write(_ entries: [Entry]) throws(FileError) {
        guard !entries.isEmpty else { return try file.remove() }
        try file.write(
            [Self.heading] + entries.prefix(Self.limit).map { "\($0.camera)\t\($0.name)\t\($0.list)" })
    }
}
