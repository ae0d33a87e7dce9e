// SPDX-License-Identifier: MIT
// Folders whose names are dates, as in `pictures/%Y/%m/`, which are made when their first file is.

import Glibc
import LivecapFiles
import LivecapFrames

/// The folder of files, parts of whose path may be dates.
package struct FolderPattern: Hashable, Sendable {
    /// The folder down to the first part with a placeholder: only what is below it is made.
    package let base: String
    /// The parts below it. One that is no pattern is there as text.
    private let parts: [Part]

    fileprivate enum Part: Hashable, Sendable {
        case text(String)
        case pattern(NamePattern)
    }

    /// Parses the path of a folder. One that exists stands for itself, whatever its name.
    /// - Throws: `badName` for unknown placeholders, and for numbers, which only files have.
    package init(_ folder: String) throws(FileError) {
        let names = folder.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
        var base = folder.hasPrefix("/") ? "/" : "."
        var parts: [Part] = []
        if access(folder, F_OK) != 0 {
            for (place, name) in names.enumerated() {
                if let pattern = try NamePattern(name, isPartOfDate: true) {
                    guard !pattern.isNumbered else {
                        throw .badName(
                            "\(folder): folders have no numbers",
                            hint: "number the files in them, as in %Y-%m/walk-%03d.jpg, and name folders by dates alone"
                        )
                    }
                    parts.append(.pattern(pattern))
                } else if parts.isEmpty {
                    let above = names[..<place].joined(separator: "/")
                    base = (folder.hasPrefix("/") ? "/" : "") + (above.isEmpty ? "" : above + "/") + name
                } else {
                    parts.append(.text(name))
                }
            }
        }
        self.base = parts.isEmpty ? folder : base
        self.parts = parts
    }

    /// Whether parts of the path are dates or have a `%%`, so that it is not the one that was given.
    package var isPattern: Bool { !parts.isEmpty }

    /// The folder of files of `moment`.
    package func path(at moment: CalendarTime) -> String {
        var path = base
        for part in parts { path = part.path(in: path, at: moment) }
        return path
    }

    /// The same, made if it is missing.
    package func made(at moment: CalendarTime, _ calls: FileCalls = FileCalls()) throws(FileError) -> String {
        var path = base
        for part in parts {
            let above = path
            path = part.path(in: above, at: moment)
            if mkdir(path, 0o777) == 0 {
                try syncFolder(above, calls)
            } else if errno != EEXIST {
                throw .failed(path, call: "mkdir", errno: errno)
            }
        }
        return path
    }
}

extension FolderPattern.Part {
    fileprivate func path(in folder: String, at moment: CalendarTime) -> String {
        let name =
            switch self {
            case .text(let text): text
            // A name has no slash: no conversion of a date has one.
            case .pattern(let pattern): pattern.name(number: 0, at: moment)
            }
        return folder == "." ? name : folder == "/" ? "/" + name : "\(folder)/\(name)"
    }
}
