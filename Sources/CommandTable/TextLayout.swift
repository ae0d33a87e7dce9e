// SPDX-License-Identifier: MIT
// Setting plain text in lines of a terminal's width.

/// Fills lines with words.
enum TextLayout {
    /// The width of help texts.
    static let width = 80

    /// `text` in lines of at most `width`, each behind `indent` spaces. Longer words stand alone.
    static func lines(_ text: String, indent: Int = 0, width: Int = width) -> [String] {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ", omittingEmptySubsequences: true) {
            if !line.isEmpty && indent + line.count + 1 + word.count > width {
                lines.append(margin + line)
                line = ""
            }
            line += line.isEmpty ? String(word) : " " + word
        }
        if !line.isEmpty { lines.append(margin + line) }
        return lines
    }

    /// Paragraphs apart by empty lines, each filled.
    static func paragraphs(_ text: String, indent: Int = 0) -> String {
        text.paragraphs.map { lines($0, indent: indent).joined(separator: "\n") }.joined(separator: "\n\n")
    }

    /// A term and its meaning in two columns; the meaning begins on a line of its own behind a long term.
    static func entry(_ term: String, _ meaning: String, indent: Int = 2, column: Int) -> String {
        var body = lines(meaning, indent: column)
        let head = String(repeating: " ", count: indent) + term
        if head.count + 2 <= column, let first = body.first {
            body[0] = head + first.dropFirst(head.count)
        } else {
            body.insert(head, at: 0)
        }
        return body.joined(separator: "\n")
    }

    /// Parts that must not be broken, filled behind a head; further lines begin under the first part.
    static func hanging(_ head: String, _ parts: [String]) -> String {
        var result = [head]
        for part in parts {
            let last = result[result.count - 1]
            if last.count + 1 + part.count <= width || last.count <= head.count {
                result[result.count - 1] = last + " " + part
            } else {
                result.append(String(repeating: " ", count: head.count + 1) + part)
            }
        }
        return result.joined(separator: "\n")
    }
}

extension String {
    /// The text's paragraphs, each one line.
    var paragraphs: [String] {
        var result = [""]
        for line in split(separator: "\n", omittingEmptySubsequences: false) {
            if line.allSatisfy({ $0 == " " }) {
                result.append("")
            } else {
                result[result.count - 1] += (result[result.count - 1].isEmpty ? "" : " ") + line
            }
        }
        return result.filter { !$0.isEmpty }
    }
}
