// SPDX-License-Identifier: MIT
// A photo of a gallery, as its list has it.

import LivecapFrames
import LivecapIntents
import LivecapPhotoStorage

/// A photo of a gallery.
struct GalleryEntry: Hashable {
    /// Which photo it is, whatever file it has.
    struct Key: Hashable {
        let id: Int64
        let taken: Int64
    }

    let key: Key
    /// Its file's name, which leads nowhere else and needs no escape.
    let name: String
    let byteCount: Int
    /// The checksum of its file, in hexadecimal digits.
    let checksum: String
    /// What the page shows besides: the members of the list's objects.
    private let caption: Caption

    private struct Caption: Hashable {
        var taken: String
        var lag: Double
        /// How far the lag may be wrong; nil if that is not known.
        var lagBound: Double?
        var framesUsed: Int64?
        var quality: String?
        var isProxy: Bool
        var width: Int64
        var height: Int64
        var group: PhotoGroup?
    }

    /// A photo under a name in the gallery.
    init(_ photo: LibraryPhoto, _ account: PhotoAccount, name: String) {
        key = photo.key
        self.name = name
        byteCount = photo.file.byteCount
        checksum = photo.checksum
        let provenance = JSON(parsing: Array(account.provenance.utf8), depth: 16)
        var used: Int64?
        if case .array(let frames)? = provenance?["framesUsed"] { used = Int64(frames.count) }
        caption = Caption(
            taken: "\(photo.taken)", lag: Double(photo.lag.nanoseconds) / 1e6,
            lagBound: provenance?["lagBoundMs"]?.asDouble, framesUsed: used,
            quality: photo.qualityGiven?.rawValue, isProxy: photo.isProxy, width: Int64(photo.size.width),
            height: Int64(photo.size.height), group: photo.group)
    }

    /// Whether its file is the one that the photo has now.
    func isCurrent(_ photo: LibraryPhoto) -> Bool {
        checksum == photo.checksum && byteCount == photo.file.byteCount && caption.isProxy == photo.isProxy
            && caption.group == photo.group
    }

    /// Reads an object of the list; nil if it is none.
    init?(_ object: JSON) {
        guard let id = object["id"]?.asInteger, let time = object["takenUtcNs"]?.asInteger,
            let name = object["name"]?.asString, !name.isEmpty, name == name.inGallery,
            let bytes = object["bytes"]?.asInteger, let checksum = object["checksum"]?.asString,
            let taken = object["taken"]?.asString, let width = object["width"]?.asInteger,
            let height = object["height"]?.asInteger
        else { return nil }
        key = Key(id: id, taken: time)
        self.name = name
        byteCount = Int(bytes)
        self.checksum = checksum
        var isProxy = false
        if case .bool(true)? = object["proxy"] { isProxy = true }
        caption = Caption(
            taken: taken, lag: object["lagMs"]?.asDouble ?? 0, lagBound: object["lagBoundMs"]?.asDouble,
            framesUsed: object["framesUsed"]?.asInteger,
            quality: object["quality"]?.asString, isProxy: isProxy, width: width, height: height,
            group: PhotoGroup(
                id: object["groupId"]?.asString ?? "", stream: object["groupStream"]?.asString ?? ""))
    }

    var object: JSON {
        .object([
            ("id", .integer(key.id)), ("name", .string(name)), ("taken", .string(caption.taken)),
            ("takenUtcNs", .integer(key.taken)), ("lagMs", .number(caption.lag)),
            ("lagBoundMs", caption.lagBound.map { .number($0) } ?? .null),
            ("framesUsed", JSON(caption.framesUsed)), ("quality", JSON(caption.quality)),
            ("proxy", .bool(caption.isProxy)), ("width", .integer(caption.width)),
            ("height", .integer(caption.height)), ("bytes", JSON(byteCount)), ("checksum", .string(checksum)),
            ("groupId", JSON(caption.group?.id)), ("groupStream", JSON(caption.group?.stream)),
        ])
    }
}

extension LibraryPhoto {
    var key: GalleryEntry.Key { GalleryEntry.Key(id: id.number, taken: taken.utcNanoseconds) }
    /// The checksum of its current file, in hexadecimal digits.
    var checksum: String { String(file.checksum, radix: 16) }
    /// Its name in a gallery: `photos/2026-11-21/223015-042-1.jpg` becomes `2026-11-21-223015-042-1.jpg`.
    var galleryName: String { file.place.split(separator: "/").dropFirst().joined(separator: "-").inGallery }
}

extension String {
    /// A name of letters, digits, dashes, underscores and dots that is not hidden: it means the same in a path, a URL
    /// and a page. The library gives no others, but a catalogue may come from anywhere.
    var inGallery: String {
        let plain = unicodeScalars.map { scalar -> Character in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".": Character(scalar)
            default: "_"
            }
        }
        let name = String(plain.prefix(200))
        return name.hasPrefix(".") ? "_" + name.dropFirst() : name
    }

    /// The name with a number before its suffix, for one that is taken.
    func numbered(_ number: Int) -> String {
        guard let dot = firstIndex(of: ".") else { return "\(self)_\(number)" }
        return "\(self[..<dot])_\(number)\(self[dot...])"
    }
}
