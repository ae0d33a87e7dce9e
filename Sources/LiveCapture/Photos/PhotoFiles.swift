// SPDX-License-Identifier: MIT
// Files for photos: which name comes next, and nothing half-written under it.

import Camera
import DurableFiles
import Frames
import Glibc
import Stills
import Threads

/// Names photos and writes them so that they last.
///
/// A photo is written under a hidden name beside its own, brought to the disk, and only then named: under a name there is
/// the whole photo or what was there before, whatever ends the program. When `write` returns, the photo survives a
/// power failure. Any number of threads may write at once; none waits for another's disk.
///
/// Only regular files are ever replaced. Photos go through a pipe, a terminal or a device such as /dev/null one after the
/// other, each whole; so they do through standard output, which is called `-`.
///
/// Making one tries the folder, and removes what programs that died while writing photos left in it.
public final class PhotoFiles: Sendable {
    /// What photos are called.
    private enum Scheme {
        /// The one photo's path.
        case file(String)
        /// Names in a folder, which is made where it is not there; what paths have before them.
        case named(NamePattern, folder: String, prefix: String)
        /// No names at all.
        case stream(OutputStream)
    }
    private let scheme: Scheme
    private let mayReplace: Bool
    private let calls: FileCalls
    /// What has been given away; nil before the folder has been looked through.
    private let given = Guarded<Given?>(nil)

    /// Numbers and names that were given away: photos that are done in another order than they were asked for keep theirs.
    private struct Given {
        /// The first photo's number.
        let first: Int
        /// The largest number.
        var last: Int
        /// The names, which this object replaces no more.
        var names: Set<String> = []
    }

    /// Names for `count` photos of `format` at `output`, a directory when it is one or ends like one. In a directory
    /// photos get the numbers after the largest there is, whatever its format, and replace nothing; so do several photos at the
    /// path of a file, unless they may replace what is there. A name may say itself where the number or the moment goes:
    /// `n-%03d.jpg`, `%Y%m%d-%H%M%S.jpg`. One without a suffix gets the format's.
    public convenience init(
        _ output: String, _ format: StillFormat, count: Int, mayReplace: Bool
    ) throws(CameraError) {
        try self.init(output, format, count: count, mayReplace: mayReplace, calls: FileCalls())
    }

    init(
        _ output: String, _ format: StillFormat, count: Int, mayReplace: Bool, calls: FileCalls
    ) throws(CameraError) {
        let place = OutputPlace(output)
        self.calls = calls
        guard place != .stream else {
            (scheme, self.mayReplace) = (.stream(try OutputStream(output)), false)
            return
        }
        if place == .folder || output.hasSuffix("/") {
            let last = output.lastIndex { $0 != "/" }
            let folder = last.map { String(output[...$0]) } ?? "/"
            scheme = .named(
                NamePattern(stem: "livecap-", digits: 4, suffix: format.suffix), folder: folder,
                prefix: folder == "/" ? "/" : "\(folder)/")
            self.mayReplace = false
        } else {
            scheme = try Self.scheme(output.named(as: format), format, count: count)
            self.mayReplace = mayReplace
        }
        try tryPlace(for: output)
    }

    private static func scheme(_ path: String, _ format: StillFormat, count: Int) throws(CameraError) -> Scheme {
        try checkName(path, format)
        let name = path.lastName
        let prefix = String(path.dropLast(name.count))
        if let pattern = try NamePattern(name) { return .named(pattern, folder: path.folder, prefix: prefix) }
        if count == 1 { return .file(path) }
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        return .named(
            NamePattern(stem: name[..<dot] + "-", digits: 1, suffix: String(name[dot...])), folder: path.folder,
            prefix: prefix)
    }

    /// Fails where a photo could not be kept, before any is taken. Errors speak of `output`.
    private func tryPlace(for output: String) throws(CameraError) {
        let folder: String
        switch scheme {
        case .stream: return
        case .file(let path):
            try OutputPlace.checkReplaceable(path)
            if !mayReplace, access(path, F_OK) == 0 { throw .fileError(path, call: "rename", errno: EEXIST) }
            folder = path.folder
        case .named(_, let named, _):
            // One that is not there yet is made in the one above it.
            folder = output.hasSuffix("/") && access(named, F_OK) != 0 ? named.folder : named
        }
        try TemporaryFile.tryFolder(folder, for: output, calls)
        TemporaryFile.sweep(folder)
    }

    /// Whether a picture of a format may be called so: an error where it would have another kind's name.
    public static func checkName(_ output: String, _ format: StillFormat) throws(CameraError) {
        if output == "-" {
            throw .badSettings("such pictures are not written to standard output", hint: "name a file or a directory")
        }
        if output.hasSuffix("/") || OutputPlace(output) == .folder { return }
        let others = [".avif", ".tif", ".tiff", ".webp", ".bmp", ".gif", ".raw", ".dng"]
        let named = StillFormat(suffixOf: output)
        if named.map({ $0 != format }) ?? others.contains(where: output.lowercased().hasSuffix) {
            let also = named.map { ", or take --format \($0.rawValue)" } ?? ""
            throw .badSettings(
                "\(output) would hold a \(format.rawValue.uppercased()) picture under another kind's name",
                hint: "name it \(format.suffix)\(also)")
        }
    }

    /// Where photo `number` goes; nil where that is only known when it is written, and nothing is replaced then.
    public func path(_ number: Int) -> String? {
        switch scheme {
        case .file(let path): path
        case .named(let pattern, _, let prefix) where mayReplace && !pattern.isTimed:
            prefix + pattern.name(number: number, at: .unknown)
        case .named, .stream: nil
        }
    }

    /// Writes photo `number`, counted from 1, that was taken at `moment` by the wall clock; the path it got. When it throws,
    /// nothing is left behind, but for one case: where only the folder cannot be brought to the disk, the photo is there,
    /// whole, and may not survive a power failure.
    public func write(_ bytes: [UInt8], number: Int, at moment: PhotoTime? = nil) throws(CameraError) -> String {
        guard let path = try write(bytes, number: number, at: moment, unless: { false }) else {
            preconditionFailure("it was wanted")
        }
        return path
    }

    /// The same; nil, and nothing is left behind, where `isUnwanted` holds when the bytes are there to be named.
    func write(
        _ bytes: [UInt8], number: Int, at moment: PhotoTime? = nil, unless isUnwanted: () -> Bool
    ) throws(CameraError) -> String? {
        guard !isUnwanted() else { return nil }
        switch scheme {
        case .file(let path): return try write(bytes, path, isUnwanted)
        case .named(let pattern, let folder, let prefix):
            let path = try write(
                bytes, pattern, in: folder, number, moment ?? PhotoTime(wall: .now), isUnwanted)
            return path.map { prefix + $0 }
        case .stream(let stream):
            try stream.write(bytes)
            return stream.name
        }
    }

    private func write(
        _ bytes: [UInt8], _ path: String, _ isUnwanted: () -> Bool
    ) throws(CameraError) -> String? {
        var file = try TemporaryFile.holding(bytes, in: path.folder, for: path, calls)
        guard !isUnwanted() else { return nil }
        guard try file.takeName(path, mayReplace: mayReplace) else {
            throw .fileError(path, call: "rename", errno: EEXIST)
        }
        try syncFolder(path.folder, calls)
        return path
    }

    /// The name it got in the folder.
    private func write(
        _ bytes: [UInt8], _ pattern: NamePattern, in folder: String, _ photo: Int, _ moment: PhotoTime,
        _ isUnwanted: () -> Bool
    ) throws(CameraError) -> String? {
        if mkdir(folder, 0o777) == 0 {
            try syncFolder(folder.folder, calls)
        } else if errno != EEXIST {
            throw .fileError(folder, call: "mkdir", errno: errno)
        }
        var file = try TemporaryFile.holding(bytes, in: folder, for: folder, calls)
        guard !isUnwanted() else { return nil }
        var number = claimNumber(pattern, in: folder, of: photo)
        var tries = 0
        while true {
            var name = pattern.name(number: number, at: moment)
            // Several photos of one second.
            if !pattern.isNumbered, tries > 0 { name = name.numbered(tries) }
            let isNew = given.withLock { $0?.names.insert(name).inserted } ?? true
            if isNew, try file.takeName("\(folder)/\(name)", mayReplace: mayReplace) {
                try syncFolder(folder, calls)
                return name
            }
            // Another photo, or another program, has it.
            tries += 1
            if pattern.isNumbered { number = claimNumber(pattern, in: folder, of: nil) }
        }
    }

    /// The number of a photo, counted on from the largest in the folder, or from 1 where those may be replaced; or the one after
    /// the last that was given away.
    private func claimNumber(_ pattern: NamePattern, in folder: String, of photo: Int?) -> Int {
        given.withLock { known in
            let looks = pattern.isNumbered && !pattern.isTimed && !mayReplace
            let first =
                known?.first ?? (looks ? 1 + (fileNames(in: folder).lazy.compactMap(pattern.number).max() ?? 0) : 1)
            var given = known ?? Given(first: first, last: first - 1)
            let number = photo.map { first + $0 - 1 } ?? given.last + 1
            given.last = max(given.last, number)
            known = given
            return number
        }
    }
}

extension PhotoTime {
    /// For names that do not depend on it.
    fileprivate static let unknown = PhotoTime(sinceEpoch: .zero, aheadOfUTC: .zero)
}

extension String {
    /// The folder a path names something in.
    fileprivate var folder: String {
        guard let slash = lastIndex(of: "/") else { return "." }
        return slash == startIndex ? "/" : String(self[..<slash])
    }

    /// What a path names there.
    fileprivate var lastName: String { String(self[(lastIndex(of: "/").map(index(after:)) ?? startIndex)...]) }

    /// A path whose last name has a suffix: its own, or the format's.
    fileprivate func named(as format: StillFormat) -> String { lastName.contains(".") ? self : self + format.suffix }

    /// A name with a number before its suffix.
    fileprivate func numbered(_ number: Int) -> String {
        let dot = lastIndex(of: ".") ?? endIndex
        return "\(self[..<dot])-\(number)\(self[dot...])"
    }
}
