// SPDX-License-Identifier: MIT
// A photo with effects and its plain picture: two files that come together.

import Glibc
import LivecapFiles

/// The plain picture of a photo with effects: `walk.plain.jpg` beside `walk.jpg`.
package enum PlainPicture {
    private static let mark = ".plain"

    /// The path of the plain picture of the photo with this path.
    package static func path(of photo: String) -> String {
        let name = photo.lastName, dot = name.lastIndex(of: ".") ?? name.endIndex
        return photo.dropLast(name.count) + name[..<dot] + mark + name[dot...]
    }

    /// Whether a path is one of a plain picture.
    package static func isPath(_ path: String) -> Bool {
        let name = path.lastName
        return name.lastIndex(of: ".").map { name[..<$0].hasSuffix(mark) } ?? false
    }
}

/// The bytes of a photo's file, and of its plain picture's, if it has one.
struct Contents {
    let photo: [UInt8]
    let plain: [UInt8]?
}

/// A photo's file and its plain picture's, durable but without their names.
struct NewFiles: ~Copyable {
    private var photo: TemporaryFile
    private var plain: TemporaryFile?

    /// Writes them to a folder. Errors refer to `target`.
    init(_ contents: Contents, in folder: String, for target: String, _ calls: FileCalls) throws(FileError) {
        let photo = try TemporaryFile.holding(contents.photo, in: folder, for: target, calls)
        plain = try Self.file(contents.plain, in: folder, for: PlainPicture.path(of: target), calls)
        self.photo = photo
    }

    private static func file(
        _ bytes: [UInt8]?, in folder: String, for target: String, _ calls: FileCalls
    ) throws(FileError) -> TemporaryFile? {
        guard let bytes else { return nil }
        return try .holding(bytes, in: folder, for: target, calls)
    }

    /// The path of the plain picture of the photo with this path; nil if there is none.
    func plainPath(_ path: String) -> String? { plain == nil ? nil : PlainPicture.path(of: path) }

    /// Gives them their names. Returns false, with neither of them there, if one exists that may not be replaced.
    mutating func takeNames(_ path: String, mayReplace: Bool) throws(FileError) -> Bool {
        guard plain != nil else { return try photo.takeName(path, mayReplace: mayReplace) }
        // A name that is taken is known before anything is named; only somebody who takes it this instant is not.
        if !mayReplace, access(path, F_OK) == 0 { return false }
        let plainPath = PlainPicture.path(of: path)
        guard try plain?.takeName(plainPath, mayReplace: mayReplace) == true else { return false }
        var isNamed = false
        // What was replaced cannot be brought back: the new one then stays, whole.
        defer { if !isNamed, !mayReplace { plain?.giveBack(plainPath) } }
        isNamed = try photo.takeName(path, mayReplace: mayReplace)
        return isNamed
    }
}
