// SPDX-License-Identifier: MIT
// File names with a placeholder for a number, as in `n-%03d.jpg`, or for a moment, as in strftime(3).

import Glibc
import LivecapFiles
import LivecapFrames

/// A file name made of fixed text, at most one number, and parts of a date.
package struct NamePattern: Hashable {
    /// One part of the name.
    fileprivate enum Piece: Hashable {
        case text(String)
        /// The number, padded with zeros to `digits` digits.
        case number(digits: Int)
        /// One conversion of `strftime`, such as `%Y`.
        case time(String)
    }
    private let pieces: [Piece]

    /// A name that consists of `stem`, a number and `suffix`.
    package init(stem: String, digits: Int, suffix: String) {
        pieces = [.text(stem), .number(digits: digits), .text(suffix)]
    }

    /// A plain name.
    package init(text: String) { pieces = [.text(text)] }

    /// Parses `name`; nil if it is a plain name without placeholders. `%%` is a percent sign. A `%d` by itself is the
    /// number; together with other conversions, it is the day, and so it is if the name is a part of a date, as in a
    /// folder of a month.
    package init?(_ name: String, isPartOfDate: Bool = false) throws(FileError) {
        var (pieces, text): ([Piece], String) = ([], "")
        var rest = name[...]
        func keep() { if !text.isEmpty { pieces.append(.text(text)) } }
        while let character = rest.popFirst() {
            guard character == "%", let next = rest.first else {
                text.append(character)
                continue
            }
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            let conversion = rest[digits.endIndex...].first
            if next == "%" {
                rest.removeFirst()
                text.append("%")
                if pieces.isEmpty { pieces.append(.text("")) }
            } else if !digits.isEmpty, digits.count <= 2, conversion == "d" {
                keep()
                text = ""
                pieces.append(.number(digits: min(9, Int(digits) ?? 0)))
                rest = rest[digits.endIndex...].dropFirst()
            } else if !digits.isEmpty, let conversion, conversion.isASCII, conversion.isLetter {
                throw Self.unknown("%\(digits)\(conversion)", in: name)
            } else if next.isASCII, next.isLetter {
                guard Self.conversions.contains(next) else { throw Self.unknown("%\(next)", in: name) }
                keep()
                text = ""
                pieces.append(.time("%\(next)"))
                rest.removeFirst()
            } else {
                text.append(character)
            }
        }
        keep()
        if !isPartOfDate, pieces.filter({ $0.isFilledIn }) == [.time("%d")] {
            pieces = pieces.map { $0 == .time("%d") ? .number(digits: 1) : $0 }
        }
        guard pieces.filter({ if case .number = $0 { true } else { false } }).count < 2 else {
            throw .badName("\(name) has two places for a number", hint: "leave one of them out")
        }
        // A single piece of text, unless it contained `%%`.
        if pieces.count <= 1, pieces.first.map({ $0 == .text(name) }) ?? true { return nil }
        self.pieces = pieces
    }

    /// Whether names contain a number.
    package var isNumbered: Bool { pieces.contains { if case .number = $0 { true } else { false } } }
    /// Whether names contain parts of a date.
    package var isTimed: Bool { pieces.contains { if case .time = $0 { true } else { false } } }

    /// The name of file `number`, whose content is of `moment`.
    package func name(number: Int, at moment: CalendarTime) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .number(let digits): number.withDigits(digits)
            case .time(let conversion): moment.formatted(conversion)
            }
        }.joined()
    }

    /// The number in a name that this pattern could have produced, for any type of file; nil if it could not. Only for
    /// patterns with a number and without parts of a date.
    package func number(in name: String) -> Int? {
        guard let place = pieces.firstIndex(where: { if case .number = $0 { true } else { false } }) else { return nil }
        func text(_ pieces: ArraySlice<Piece>) -> String {
            pieces.map { if case .text(let text) = $0 { text } else { "" } }.joined()
        }
        let (before, after) = (text(pieces[..<place]), text(pieces[(place + 1)...]))
        guard name.hasPrefix(before) else { return nil }
        let rest = name.dropFirst(before.count)
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        let end = rest[digits.endIndex...]
        // More digits are not a number produced here; they may be a date.
        guard digits.count <= "\(Self.largestNumber)".count, end == after || end.hasPrefix(".") && after.hasPrefix(".")
        else { return nil }
        return Int(digits)
    }

    /// The largest number that names are expected to contain.
    package static let largestNumber = 9_999_999

    /// The `strftime` conversions that produce no slash and depend on the moment only.
    private static let conversions: Set<Character> = Set("aAbBCdeFgGHIjklmMpPRsSTuUVwWyYz")

    private static func unknown(_ conversion: String, in name: String) -> FileError {
        .badName(
            "\(conversion) in \(name) stands for nothing",
            hint: "%03d is a number, %Y%m%d-%H%M%S a moment, %% a percent sign")
    }
}

extension NamePattern {
    /// Whether the name in a path, or one of its folders, stands for a number or a moment.
    package static func isOne(_ path: String) throws(FileError) -> Bool {
        let (name, folder) = (path.lastName, path.folderPath)
        if name.isEmpty { return try FolderPattern(path).isPattern }
        if try NamePattern(name) != nil { return true }
        return try FolderPattern(folder).isPattern
    }

    /// The path that `path` stands for, whose name may have placeholders, for a file begun at `moment`: numbered after
    /// the files that are there, or as the first one if those may be replaced. A name of a moment that is taken gets a
    /// number. Folders whose names are dates are made. A path that ends with a slash is that of a folder.
    package static func filled(
        _ path: String, at moment: CalendarTime, mayReplace: Bool = false
    ) throws(FileError) -> String {
        let file = path.lastName
        guard OutputTarget(path) != .stream else { return path }
        if file.isEmpty {
            let folder = try FolderPattern(path)
            return folder.isPattern ? try folder.made(at: moment) + "/" : path
        }
        let dates = try FolderPattern(path.folderPath)
        let pattern = try NamePattern(file, isPartOfDate: dates.isPattern)
        let folder = dates.isPattern ? try dates.made(at: moment) : dates.base
        let begin = dates.isPattern ? (folder == "/" ? folder : folder + "/") : String(path.dropLast(file.count))
        guard let pattern else { return begin + file }
        var number = 1
        if pattern.isNumbered, !pattern.isTimed, !mayReplace {
            number += fileNames(in: folder).lazy.compactMap(pattern.number).max() ?? 0
        }
        var tries = 0
        while true {
            let name = pattern.name(number: number, at: moment)
            let candidate = begin + (pattern.isNumbered || tries == 0 ? name : name.numbered(tries))
            let isFixed = !pattern.isNumbered && !pattern.isTimed
            if mayReplace || isFixed || access(candidate, F_OK) != 0 { return candidate }
            (number, tries) = (number + 1, tries + 1)
        }
    }
}

extension String {
    /// The name with a number before its suffix.
    package func numbered(_ number: Int) -> String {
        let dot = lastIndex(of: ".") ?? endIndex
        return "\(self[..<dot])-\(number)\(self[dot...])"
    }
}

extension NamePattern.Piece {
    fileprivate var isFilledIn: Bool { if case .text = self { false } else { true } }
}

extension Int {
    /// The number, padded with zeros to `count` digits.
    fileprivate func withDigits(_ count: Int) -> String {
        let digits = "\(self)"
        return String(repeating: "0", count: Swift.max(0, count - digits.count)) + digits
    }
}
