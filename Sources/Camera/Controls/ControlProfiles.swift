// SPDX-License-Identifier: MIT
// The settings that the user keeps for each camera, by purpose, in a file that outlives the program.

import LivecapFiles

/// The file of profiles, one line per profile of a camera. It belongs to the camera's identity.
package struct ControlProfiles: Sendable {
    /// The profile that is used if none is named.
    package static let usual = "default"

    /// What the file says.
    package struct Content: Hashable, Sendable {
        fileprivate var profiles: [Entry] = []
        /// What was wrong with the file, for people; nil if nothing was.
        package var notice: String?

        /// The settings of a camera's profile; nil if there is none of that name.
        package func settings(_ name: String, of identity: String) -> [ControlSetting]? {
            profiles.first { $0.identity == identity && $0.name == name }?.settings
        }

        /// The names of a camera's profiles, newest first.
        package func names(of identity: String) -> [String] {
            profiles.filter { $0.identity == identity }.map(\.name)
        }
    }

    fileprivate struct Entry: Hashable, Sendable {
        let identity: String
        let name: String
        let settings: [ControlSetting]
    }

    private let file: StateFile
    /// Nobody has more; the oldest are forgotten.
    private static let limit = 256
    private static let heading =
        "# Settings of cameras: id, tab, purpose, tab, what differs from the camera's defaults."

    /// The user's own: `livecap/profiles` in the state folder; nil if there is no home folder.
    package static var standard: ControlProfiles? { StateFile(standard: "profiles").map { ControlProfiles(file: $0) } }

    private init(file: StateFile) { self.file = file }

    /// The file at another path, for tests.
    init(path: String) { file = StateFile(path: path) }

    /// Whether a profile can have that name: one word of letters, digits, and -_.: characters.
    package static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 64 && name == name.asIdentity
    }

    /// The profiles. A file that is damaged, too large or no file is reported, and what can be read of it counts.
    package func read() -> Content {
        let read = file.read()
        if let problem = read.problem {
            return Content(notice: "the profiles of cameras in \(file.path) are ignored: \(problem)")
        }
        var content = Content()
        for line in read.lines {
            let parts = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            guard parts.count == 3, parts[0].isIdentityOrPath, Self.isName(parts[1]) else { continue }
            let settings = parts[2].split(separator: " ").map { ControlSetting(String($0)) }
            guard settings.allSatisfy({ $0 != nil }), content.settings(parts[1], of: parts[0]) == nil else { continue }
            content.profiles.append(
                Entry(identity: parts[0], name: parts[1], settings: settings.compactMap(\.self)))
        }
        content.notice = file.damage(read.lines.count - content.profiles.count)
        content.profiles = Array(content.profiles.prefix(Self.limit))
        return content
    }

    /// Keeps how a camera's controls are set now.
    package func save(_ name: String, of identity: String, _ controls: [CameraControl]) throws(FileError) {
        try write(
            [Entry(identity: identity, name: name, settings: controls.settings)] + others(name, of: identity))
    }

    /// Forgets a camera's profile. Returns false if there is none of that name.
    package func forget(_ name: String, of identity: String) throws(FileError) -> Bool {
        guard read().settings(name, of: identity) != nil else { return false }
        try write(others(name, of: identity))
        return true
    }

    private func others(_ name: String, of identity: String) -> [Entry] {
        read().profiles.filter { $0.identity != identity || $0.name != name }
    }

    private func write(_ profiles: [Entry]) throws(FileError) {
        guard !profiles.isEmpty else { return try file.remove() }
        let lines = profiles.prefix(Self.limit).map { profile in
            "\(profile.identity)\t\(profile.name)\t\(profile.settings.map(\.description).joined(separator: " "))"
        }
        try file.write([Self.heading] + lines)
    }
}

extension [CameraControl] {
    /// The settings that would set a camera with its defaults like this one. Locked values are left out.
    var settings: [ControlSetting] {
        filter { $0.isSettable && !$0.isInactive && $0.value != $0.defaultValue }.compactMap { control in
            control.present.map { ControlSetting(ControlName("0x\(String(control.id.rawValue, radix: 16))"), $0) }
        }
    }
}
