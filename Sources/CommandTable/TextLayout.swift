// SPDX-License-Identifier: MIT
// Lays out plain text in lines of a terminal's width.

/// Wraps text into lines.
enum TextLayout {
    /// The width of help texts in columns.
    static let width = 80

    /// Wraps `text` into lines of at most `width` columns, each indented by `indent` spaces. Longer words get lines of
    /// their own.
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

    /// Wraps each paragraph and separates paragraphs by empty lines.
    static func paragraphs(_ text: String, indent: Int = 0) -> String {
        text.paragraphs.map { lines($0, indent: indent).joined(separator: "\n") }.joined(separator: "\n\n")
    }

    /// A term and its meaning in two columns. After a long term, the meaning begins on the next line.
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

    /// Wraps unbreakable parts after a heading. Further lines begin below the first part.
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
    /// The text's paragraphs, each joined into one line.
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
