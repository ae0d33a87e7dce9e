// SPDX-License-Identifier: MIT
// Files for photos: which name comes next, and nothing half-written under it.

import Camera
import DurableFiles
import Glibc
import Stills
import Threads

/// Names photos and writes them so that they last.
///
/// A photo is written under a hidden name beside its own, brought to the disk, and only then named: under a name there is
/// the whole photo or what was there before, whatever ends the program. When `write` returns, the photo survives a
/// power failure. Any number of threads may write at once; none waits for another's disk.
///
/// Making one removes what programs that died while writing photos left in the same folder.
public final class PhotoFiles: Sendable {
    /// What a photo may be called.
    private enum Scheme {
        /// The one photo's path.
        case file(String)
        /// Several photos: numbers before the suffix.
        case numbered(stem: String, suffix: String)
        /// The next free number in a directory, which is named without a slash at its end.
        case directory(String)
    }
    private let scheme: Scheme
    private let format: StillFormat
    private let mayReplace: Bool
    private let calls: FileCalls
    /// The numbers of a directory; nil before it has been looked through.
    private let numbers = Guarded<Numbers?>(nil)

    /// Numbers in a directory: photos that are done in another order than they were asked for keep theirs.
    private struct Numbers {
        /// The first photo's.
        let first: Int
        /// The largest that was given away.
        var last: Int
    }

    /// Names for `count` photos of `format` at `output`, a directory when it is one or ends like one. In a directory
    /// photos get the numbers after the largest there is, whatever its format, and replace nothing.
    public convenience init(
        _ output: String, _ format: StillFormat, count: Int, mayReplace: Bool
    ) throws(CameraError) {
        try self.init(output, format, count: count, mayReplace: mayReplace, calls: FileCalls())
    }

    init(
        _ output: String, _ format: StillFormat, count: Int, mayReplace: Bool, calls: FileCalls
    ) throws(CameraError) {
        (self.format, self.mayReplace, self.calls) = (format, mayReplace, calls)
        scheme = try Self.scheme(output, format, count: count)
        switch scheme {
        case .file(let path), .numbered(let path, _):
            // Told before anything is photographed that could not be kept.
            if access(path.folder, W_OK | X_OK) != 0 { throw .fileError(path, call: "open", errno: errno) }
            TemporaryFile.sweep(path.folder)
        case .directory(let directory): TemporaryFile.sweep(directory)
        }
    }

    private static func scheme(_ output: String, _ format: StillFormat, count: Int) throws(CameraError) -> Scheme {
        try checkName(output, format)
        if isDirectory(output) {
            let last = output.lastIndex { $0 != "/" }
            return .directory(last.map { String(output[...$0]) } ?? "/")
        }
        if count == 1 { return .file(output) }
        let name = output.lastIndex(of: "/").map { output.index(after: $0) } ?? output.startIndex
        let dot = output[name...].lastIndex(of: ".") ?? output.endIndex
        return .numbered(stem: String(output[..<dot]), suffix: String(output[dot...]))
    }

    private static func isDirectory(_ output: String) -> Bool {
        var status = stat()
        return output.hasSuffix("/") || (stat(output, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR)
    }

    /// Whether a picture of a format may be called so: an error where it would have another kind's name.
    public static func checkName(_ output: String, _ format: StillFormat) throws(CameraError) {
        if output == "-" {
            throw .badSettings(
                "pictures are not written to standard output", hint: "name a file or a directory with -o")
        }
        if isDirectory(output) { return }
        let others = [".avif", ".tif", ".tiff", ".webp", ".bmp", ".gif", ".raw", ".dng"]
        let named = StillFormat(suffixOf: output)
        if named.map({ $0 != format }) ?? others.contains(where: output.lowercased().hasSuffix) {
            let also = named.map { ", or take --format \($0.rawValue)" } ?? ""
            throw .badSettings(
                "\(output) would hold a \(format.rawValue.uppercased()) picture under another kind's name",
                hint: "name it \(format.suffix)\(also)")
        }
    }

    /// Where photo `number` goes; nil in a directory, where it gets the next free number and replaces nothing.
    public func path(_ number: Int) -> String? {
        switch scheme {
        case .file(let path): path
        case .numbered(let stem, let suffix): "\(stem)-\(number)\(suffix)"
        case .directory: nil
        }
    }

    /// Writes photo `number`, counted from 1; the path it got. When it throws, nothing is left behind, but for one case:
    /// where only the folder cannot be brought to the disk, the photo is there, whole, and may not survive a power failure.
    public func write(_ bytes: [UInt8], number: Int) throws(CameraError) -> String {
        guard let path = try write(bytes, number: number, unless: { false }) else {
            preconditionFailure("it was wanted")
        }
        return path
    }

    /// The same; nil, and nothing is left behind, where `isUnwanted` holds when the bytes are there to be named.
    func write(_ bytes: [UInt8], number: Int, unless isUnwanted: () -> Bool) throws(CameraError) -> String? {
        guard !isUnwanted() else { return nil }
        if let path = path(number) { return try write(bytes, path, isUnwanted) }
        guard case .directory(let directory) = scheme else { preconditionFailure("what is no directory has a path") }
        return try writeNumbered(bytes, in: directory, number, isUnwanted)
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

    private func writeNumbered(
        _ bytes: [UInt8], in directory: String, _ photo: Int, _ isUnwanted: () -> Bool
    ) throws(CameraError) -> String? {
        if mkdir(directory, 0o777) == 0 {
            try syncFolder(directory.folder, calls)
        } else if errno != EEXIST {
            throw .fileError(directory, call: "mkdir", errno: errno)
        }
        var file = try TemporaryFile.holding(bytes, in: directory, for: directory, calls)
        guard !isUnwanted() else { return nil }
        var number = claimNumber(in: directory, of: photo)
        while true {
            let digits = "\(number)"
            let padded = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            let path = "\(directory)/\(Self.namePrefix)\(padded)\(format.suffix)"
            if try file.takeName(path, mayReplace: false) {
                try syncFolder(directory, calls)
                return path
            }
            // Another program took it meanwhile.
            number = claimNumber(in: directory, of: nil)
        }
    }

    /// The number of a photo, counted on from the largest in the directory; or the one after the last that was given away.
    private func claimNumber(in directory: String, of photo: Int?) -> Int {
        numbers.withLock { known in
            let first = known?.first ?? 1 + Self.largestNumber(in: directory)
            var numbers = known ?? Numbers(first: first, last: first - 1)
            let number = photo.map { first + $0 - 1 } ?? numbers.last + 1
            numbers.last = max(numbers.last, number)
            known = numbers
            return number
        }
    }

    private static func largestNumber(in directory: String) -> Int {
        fileNames(in: directory).lazy.compactMap { name -> Int? in
            guard name.hasPrefix(namePrefix) else { return nil }
            let digits = name.dropFirst(namePrefix.count).prefix { $0 != "." }
            // Longer ones are no numbers of ours; a date, perhaps.
            return digits.count <= 7 && digits.allSatisfy(\.isNumber) ? Int(digits) : nil
        }.max() ?? 0
    }

    private static let namePrefix = "livecap-"
}

extension String {
    /// The folder a path names something in.
    fileprivate var folder: String {
        guard let slash = lastIndex(of: "/") else { return "." }
        return slash == startIndex ? "/" : String(self[..<slash])
    }
}
