// SPDX-License-Identifier: MIT
// photos.js, the list of a gallery's photos: a script, because a page that is opened by a double click may read
// nothing.

import LivecapIntents

/// The photos of a gallery as the text of its list.
enum GalleryList {
    private static let head = "window.photos = "

    /// The list as a script. No text in it can end the script, or a line of it.
    static func text(_ entries: [GalleryEntry]) -> [UInt8] {
        let objects = entries.map { "\n" + $0.object.text.inScript }
        return Array("\(head)[\(objects.joined(separator: ","))\n];\n".utf8)
    }

    /// Reads a list that this program has written; nil for anything else.
    static func entries(_ text: [UInt8]) -> [GalleryEntry]? {
        let (head, tail) = (Array(head.utf8), Array(";\n".utf8))
        guard text.starts(with: head), text.suffix(tail.count) == tail[...],
            case .array(let objects)? = JSON(parsing: Array(text[head.count..<(text.count - tail.count)]))
        else { return nil }
        let entries = objects.compactMap { GalleryEntry($0) }
        return entries.count == objects.count ? entries : nil
    }
}

extension String {
    /// JSON as a part of a script, which HTML and old browsers read differently.
    fileprivate var inScript: String {
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "<": text += "\\u003c"
            case "\u{2028}": text += "\\u2028"
            case "\u{2029}": text += "\\u2029"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
