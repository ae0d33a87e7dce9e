// SPDX-License-Identifier: MIT
// The cameras that the user has chosen, newest first, in a file that outlives the program.

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

    private let file: StateFile
    /// Nobody has more cameras; older choices are forgotten.
    static let limit = 32
    private static let heading = "# Cameras chosen in livecap, newest first: id, tab, name."

    /// The user's own: `livecap/cameras` in the state folder; nil if there is no home folder.
    package static var standard: CameraHistory? { StateFile(standard: "cameras").map(CameraHistory.init) }

    private init(_ file: StateFile) { self.file = file }

    /// The file at another path, for tests.
    init(path: String) { file = StateFile(path: path) }

    /// The file's path.
    var path: String { file.path }

    /// The choices. A file that is damaged, too large or no file is reported, and what can be read of it counts.
    func read() -> Content {
        let read = file.read()
        if let problem = read.problem {
            return Content(notice: "the choices of cameras in \(path) are ignored: \(problem)")
        }
        var content = Content()
        var damaged = 0
        for line in read.lines {
            let parts = line.split(separator: UInt8(ascii: "\t"), maxSplits: 1, omittingEmptySubsequences: false)
            let identity = String(decoding: parts[0], as: UTF8.self)
            guard parts.count == 2, identity.isIdentityOrPath else {
                damaged += 1
                continue
            }
            guard !content.choices.contains(where: { $0.identity == identity }) else { continue }
            content.choices.append(
                CameraChoice(identity: identity, name: String(decoding: parts[1], as: UTF8.self).onOneLine))
        }
        content.notice = file.damage(damaged)
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
    package func forget() throws(FileError) { try file.remove() }

    private func write(_ choices: ArraySlice<CameraChoice>) throws(FileError) {
        try file.write([Self.heading] + choices.map { "\($0.identity)\t\($0.name)" })
    }

    /// Creates the file's folder where it is missing.
    func makeFolder() -> String { file.makeFolder() }
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
