// SPDX-License-Identifier: MIT
// Files for photos: chooses names, and never leaves an incomplete file under one.

import Glibc
import LivecapFiles
import LivecapFrameFiles
import LivecapFrames
import LivecapStills
import LivecapThreads

/// Names photos and writes them durably.
///
/// A photo is written under a hidden name beside its own, flushed to disk, and only then renamed. However the program
/// ends, a name refers either to the complete photo or to what was there before. Once a photo is reported, it survives
/// a power failure. Any number of threads may write at once; none waits for another's disk.
///
/// Only regular files are ever replaced. A pipe, a terminal or a device such as /dev/null receives the photos one after
/// the other, each in one piece; so does standard output, which is called `-`.
///
/// Creating this object checks that the folder can be written to, and removes files left there by programs that died
/// while writing photos.
public final class PhotoFiles: Sendable {
    /// How photos are named.
    private enum Scheme {
        /// The path of the only photo.
        case file(String)
        /// Names in a folder, which is created if needed. `prefix` comes before each name in the returned path.
        case named(NamePattern, folder: String, prefix: String)
        /// Names in folders of dates, which are made as their first photos come.
        case dated(NamePattern, folders: FolderPattern)
        /// No names: an output stream.
        case stream(OutputStream)
    }
    private let scheme: Scheme
    private let mayReplace: Bool
    /// Whether a photo whose own number is taken fails, instead of getting another number.
    private let isExact: Bool
    /// Whether plain pictures are written, too.
    private let keepsPlain: Bool
    private let calls: FileCalls
    /// The numbers and names assigned so far, for each folder that has been read.
    private let given = Guarded<[String: Given]>([:])

    /// Assigned numbers and names. Photos that finish in another order than they were asked for keep theirs.
    private struct Given {
        /// The first photo's number.
        let first: Int
        /// The largest number.
        var last: Int
        /// The names assigned. They are not replaced again through this object.
        var names: Set<String> = []
    }

    /// Prepares names; see `open`. With `isExact`, a photo whose number is taken is an error, and so is a folder that
    /// has such names already, unless they may be replaced. Plain pictures are written unless they are not kept. A
    /// `mark` comes before the ending of each name.
    package init(
        _ output: String, _ format: StillFormat, count: Int, mayReplace: Bool, isExact: Bool = false,
        keepsPlain: Bool = true, mark: String = "", calls: FileCalls = FileCalls()
    ) throws(FileError) {
        let place = OutputTarget(output)
        self.calls = calls
        self.isExact = isExact
        self.keepsPlain = keepsPlain
        guard place != .stream else {
            scheme = .stream(try OutputStream(output))
            self.mayReplace = false
            return
        }
        // Otherwise a path without a suffix would get one, and a new file would be created beside what is there.
        if case .foreign = place { try OutputTarget.checkReplaceable(output) }
        if place == .folder || output.hasSuffix("/") {
            let last = output.lastIndex { $0 != "/" }
            let folder = last.map { String(output[...$0]) } ?? "/"
            let pattern = NamePattern(stem: "livecap-", digits: 4, suffix: mark + format.suffix)
            let folders = try FolderPattern(folder)
            scheme =
                folders.isPattern
                ? .dated(pattern, folders: folders)
                : .named(pattern, folder: folder, prefix: folder == "/" ? "/" : "\(folder)/")
            self.mayReplace = false
        } else {
            scheme = try Self.scheme(output.named(as: format).marked(mark), format, count: count)
            self.mayReplace = mayReplace
        }
        try tryPlace(for: output)
    }

    private static func scheme(_ path: String, _ format: StillFormat, count: Int) throws(FileError) -> Scheme {
        try checkName(path, format)
        let name = path.lastName
        let prefix = String(path.dropLast(name.count))
        let folders = try FolderPattern(path.folderPath)
        if folders.isPattern {
            // Other photos of a name get a number, as all do.
            let pattern = try NamePattern(name, isPartOfDate: true) ?? NamePattern(text: name)
            return .dated(pattern, folders: folders)
        }
        if let pattern = try NamePattern(name) { return .named(pattern, folder: path.folderPath, prefix: prefix) }
        if count == 1 { return .file(path) }
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        return .named(
            NamePattern(stem: name[..<dot] + "-", digits: 1, suffix: String(name[dot...])), folder: path.folderPath,
            prefix: prefix)
    }

    /// Throws before any photo is taken if photos could not be stored. Errors name `output`.
    private func tryPlace(for output: String) throws(FileError) {
        let folder: String
        var longest: String?
        switch scheme {
        case .stream: return
        case .file(let path):
            try OutputTarget.checkReplaceable(path)
            if !mayReplace, access(path, F_OK) == 0 { throw .failed(path, call: "rename", errno: EEXIST) }
            folder = path.folderPath
        case .dated(let pattern, let folders):
            // What is below it is made when there is a photo.
            folder = folders.base
            try OutputTarget.checkLength(folders.path(at: CalendarTime(wall: .now)))
            longest = pattern.longestName
        case .named(let pattern, let named, let prefix):
            try OutputTarget.checkLength(named)
            if isExact, !mayReplace, let name = firstName(of: pattern, in: named) {
                throw .failed(prefix + name, call: "open", errno: EEXIST)
            }
            // A folder that does not exist yet is created in its parent.
            folder = output.hasSuffix("/") && access(named, F_OK) != 0 ? named.folderPath : named
            longest = pattern.longestName
        }
        try TemporaryFile.tryFolder(folder, for: output, calls)
        // Looking up a name that is too long fails even if no such file exists.
        if let longest { try OutputTarget.checkLength("\(folder)/\(longest)") }
        TemporaryFile.sweep(folder)
        if case .dated(_, let folders) = scheme { TemporaryFile.sweep(folders.path(at: CalendarTime(wall: .now))) }
    }

    /// The first name in a folder that the pattern gives to some number.
    private func firstName(of pattern: NamePattern, in folder: String) -> String? {
        fileNames(in: folder).filter { name in
            pattern.number(in: name).map { pattern.name(number: $0, at: .unknown) } == name
        }.min()
    }

    /// Throws if the suffix of `output` stands for a file type other than `format`.
    package static func checkName(_ output: String, _ format: StillFormat) throws(FileError) {
        if output == "-" {
            throw .badName(
                "comparison and explanation pictures are not written to standard output",
                hint: "name a file or a directory")
        }
        if output.hasSuffix("/") || OutputTarget(output) == .folder { return }
        let others =
            [".avif", ".tif", ".tiff", ".webp", ".bmp", ".gif", ".raw", ".dng"] + MovieKind.movies + MovieKind.own
        let named = StillFormat(suffixOf: output)
        if named.map({ $0 != format }) ?? others.contains(where: output.lowercased().hasSuffix) {
            let also = named.map { ", or choose the format \($0.rawValue)" } ?? ""
            throw .badName(
                "\(output) would hold a \(format.rawValue.uppercased()) picture under another kind's name",
                hint: "name it \(format.suffix)\(also)")
        }
        guard named == nil, let ending = output.ending else { return }
        let near = StillFormat.allCases.first { $0.suffix.dropFirst().first == ending.lowercased().first } ?? format
        throw .badName(
            "\(output): .\(ending) is not the ending of a picture",
            hint: "did you mean \(output.dropLast(ending.count + 1))\(near.suffix)?")
    }

    /// Whether every photo is written to the same file.
    public var isOneFile: Bool { if case .file = scheme { true } else { false } }

    /// The path of photo `number`; nil if it is only known once the photo is written.
    public func path(_ number: Int) -> String? {
        switch scheme {
        case .file(let path): path
        case .named(let pattern, _, let prefix) where mayReplace && !pattern.isTimed:
            prefix + pattern.name(number: number, at: .unknown)
        case .named, .dated, .stream: nil
        }
    }

    /// Throws before any photo is taken if the plain picture of the only photo could not be stored.
    package func checkPlain() throws(FileError) {
        guard case .file(let path) = scheme else { return }
        let plain = PlainPicture.path(of: path)
        try OutputTarget.checkReplaceable(plain)
        if !mayReplace, access(plain, F_OK) == 0 { throw .failed(plain, call: "rename", errno: EEXIST) }
    }

    /// Whether there is a place for the plain picture of a photo into which something is drawn.
    package var takesPlain: Bool {
        if case .stream = scheme { false } else { true }
    }

    /// Writes photo `number`, counted from 1 and taken at `moment` by the wall clock, and returns its path.
    ///
    /// If it throws, nothing is left behind, with one exception: if only the folder cannot be flushed, the complete
    /// photo is there, but may not survive a power failure.
    package func write(_ bytes: [UInt8], number: Int, at moment: CalendarTime? = nil) throws(FileError) -> String {
        guard let path = try write(bytes, number: number, at: moment, unless: { false }) else {
            preconditionFailure("it was wanted")
        }
        return path
    }

    /// The same, but returns nil and leaves nothing behind if `isUnwanted` returns true before the file is named.
    package func write(
        _ bytes: [UInt8], number: Int, at moment: CalendarTime? = nil, unless isUnwanted: () -> Bool
    ) throws(FileError) -> String? {
        try write(bytes, beside: nil, number: number, at: moment, unless: isUnwanted)?.path
    }

    /// The paths of a photo and of its plain picture.
    package typealias Written = (path: String, plain: String?)

    /// The same, with the photo's plain picture beside it, if there is one. That gets its name first: no photo is there
    /// without it. A stream takes the photo alone.
    package func write(
        _ bytes: [UInt8], beside plain: [UInt8]?, number: Int, at moment: CalendarTime? = nil,
        unless isUnwanted: () -> Bool
    ) throws(FileError) -> Written? {
        guard !isUnwanted() else { return nil }
        let contents = Contents(photo: bytes, plain: keepsPlain ? plain : nil)
        switch scheme {
        case .file(let path):
            var files = try NewFiles(contents, in: path.folderPath, for: path, calls)
            guard !isUnwanted() else { return nil }
            guard try files.takeNames(path, mayReplace: mayReplace) else {
                throw .failed(path, call: "rename", errno: EEXIST)
            }
            try syncFolder(path.folderPath, calls)
            return (path, files.plainPath(path))
        case .named(let pattern, let folder, let prefix):
            let moment = moment ?? CalendarTime(wall: .now)
            return try write(
                contents, Names(pattern: pattern, folder: folder, prefix: prefix, moment: moment), photo: number,
                isUnwanted)
        case .dated(let pattern, let folders):
            let moment = moment ?? CalendarTime(wall: .now)
            let folder = try folders.made(at: moment, calls)
            return try write(
                contents, Names(pattern: pattern, folder: folder, prefix: folder + "/", moment: moment), photo: number,
                isUnwanted)
        case .stream(let stream):
            try stream.write(bytes)
            return (stream.name, nil)
        }
    }

    /// How photos in a folder are named.
    private struct Names {
        let pattern: NamePattern
        let folder: String
        let prefix: String
        let moment: CalendarTime
    }

    /// Writes a photo under the next free name.
    private func write(
        _ contents: Contents, _ names: Names, photo: Int, _ isUnwanted: () -> Bool
    ) throws(FileError) -> Written? {
        let pattern = names.pattern, folder = names.folder
        if mkdir(folder, 0o777) == 0 {
            try syncFolder(folder.folderPath, calls)
        } else if errno != EEXIST {
            throw .failed(folder, call: "mkdir", errno: errno)
        }
        let likely = pattern.name(number: firstNumber(pattern, in: folder) + photo - 1, at: names.moment)
        var files = try NewFiles(contents, in: folder, for: names.prefix + likely, calls)
        guard !isUnwanted() else { return nil }
        var number = claimNumber(pattern, in: folder, of: photo)
        var tries = 0
        while true {
            var name = pattern.name(number: number, at: names.moment)
            // Several photos were taken in the same second.
            if !pattern.isNumbered, tries > 0 { name = name.numbered(tries) }
            let isNew = given.withLock { $0[folder]?.names.insert(name).inserted } ?? true
            if isNew, try files.takeNames("\(folder)/\(name)", mayReplace: mayReplace) {
                try syncFolder(folder, calls)
                return (names.prefix + name, files.plainPath(names.prefix + name))
            }
            // Another photo or another program has this name.
            guard !isExact else { throw .failed("\(folder)/\(name)", call: "rename", errno: EEXIST) }
            tries += 1
            if pattern.isNumbered { number = claimNumber(pattern, in: folder, of: nil) }
        }
    }

    /// The number of the first photo.
    private func firstNumber(_ pattern: NamePattern, in folder: String) -> Int {
        given.withLock { known in
            let given = known[folder] ?? looked(pattern, in: folder)
            known[folder] = given
            return given.first
        }
    }

    /// The state before the first photo. The folder is searched for numbers if photos are numbered after those there.
    private func looked(_ pattern: NamePattern, in folder: String) -> Given {
        let looks = pattern.isNumbered && !pattern.isTimed && !mayReplace && !isExact
        let first = looks ? 1 + (fileNames(in: folder).lazy.compactMap(pattern.number).max() ?? 0) : 1
        return Given(first: first, last: first - 1)
    }

    /// Assigns a number. `photo` is counted from the first free number in the folder, or from 1 if files may be
    /// replaced. Without `photo`, the number after the last one assigned is used.
    private func claimNumber(_ pattern: NamePattern, in folder: String, of photo: Int?) -> Int {
        given.withLock { known in
            var given = known[folder] ?? looked(pattern, in: folder)
            let number = photo.map { given.first + $0 - 1 } ?? given.last + 1
            given.last = max(given.last, number)
            known[folder] = given
            return number
        }
    }
}

extension NamePattern {
    /// The longest name of a photo taken now, including the number that distinguishes it from others.
    fileprivate var longestName: String {
        let name = name(number: Self.largestNumber, at: CalendarTime(wall: .now))
        return isNumbered ? name : name.numbered(Self.largestNumber)
    }
}

extension CalendarTime {
    /// For names that do not depend on the time.
    fileprivate static let unknown = CalendarTime(sinceEpoch: .zero, utcOffset: .zero)
}

extension String {
    /// What follows the last dot of the name and begins with a letter; nil if there is no such ending. Names such as
    /// `2026.11.27` have none.
    fileprivate var ending: Substring? {
        let name = lastName
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return nil }
        let ending = name[name.index(after: dot)...]
        guard ending.first?.isLetter == true, ending.allSatisfy({ $0.isLetter || $0.isNumber }) else { return nil }
        return ending
    }

    /// The path, with a mark before the ending of its last component.
    fileprivate func marked(_ mark: String) -> String {
        let name = lastName
        guard !mark.isEmpty, let dot = name.lastIndex(of: "."), dot > name.startIndex else { return self + mark }
        return "\(dropLast(name.count))\(name[..<dot])\(mark)\(name[dot...])"
    }

    /// The path, with the format's suffix added if its last component has none.
    fileprivate func named(as format: StillFormat) -> String { lastName.contains(".") ? self : self + format.suffix }
}
