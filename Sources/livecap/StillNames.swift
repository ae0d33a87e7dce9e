// SPDX-License-Identifier: MIT
// Files for pictures: which name comes next, and nothing half-written under it.

import Camera
import Glibc
import Stills

/// Names pictures and writes them.
struct StillNames {
    /// What a picture may be called.
    private enum Scheme {
        /// The one picture's path.
        case file(String)
        /// Several pictures: numbers before the suffix.
        case numbered(stem: String, suffix: String)
        /// The next free number in a directory.
        case directory(String)
    }
    private let scheme: Scheme
    private let format: StillFormat
    private let mayReplace: Bool

    /// Names for `count` pictures of `format` at `output`, a directory when it is one or ends like one.
    init(_ output: String, _ format: StillFormat, count: Int, mayReplace: Bool) throws(CameraError) {
        (self.format, self.mayReplace) = (format, mayReplace)
        if output == "-" {
            throw .badSettings(
                "pictures are not written to standard output", hint: "name a file or a directory with -o")
        }
        var status = stat()
        if output.hasSuffix("/") || (stat(output, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR) {
            scheme = .directory(output.hasSuffix("/") ? output : output + "/")
            return
        }
        let others = [".heic", ".heif", ".tif", ".tiff", ".webp", ".bmp", ".gif", ".raw", ".dng"]
        let named = StillFormat(suffixOf: output)
        if named.map({ $0 != format }) ?? others.contains(where: output.lowercased().hasSuffix) {
            let also = named.map { ", or take --format \($0.rawValue)" } ?? ""
            throw .badSettings(
                "\(output) would hold a \(format.rawValue.uppercased()) picture under another kind's name",
                hint: "name it \(format.suffix)\(also)")
        }
        if count == 1 {
            scheme = .file(output)
        } else {
            let name = output.lastIndex(of: "/").map { output.index(after: $0) } ?? output.startIndex
            let dot = output[name...].lastIndex(of: ".") ?? output.endIndex
            scheme = .numbered(stem: String(output[..<dot]), suffix: String(output[dot...]))
        }
    }

    /// Writes picture `number`, counted from 1; the path it got.
    func write(_ bytes: [UInt8], number: Int) throws(CameraError) -> String {
        switch scheme {
        case .file(let path):
            try write(bytes, path, mayReplace: mayReplace)
            return path
        case .numbered(let stem, let suffix):
            let path = "\(stem)-\(number)\(suffix)"
            try write(bytes, path, mayReplace: mayReplace)
            return path
        case .directory(let directory):
            if mkdir(directory, 0o777) != 0 && errno != EEXIST {
                throw .fileError(directory, call: "mkdir", errno: errno)
            }
            return try writeNumbered(bytes, in: directory)
        }
    }

    private func writeNumbered(_ bytes: [UInt8], in directory: String) throws(CameraError) -> String {
        var number = 1
        while true {
            let digits = "\(number)"
            let padded = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            let path = "\(directory)livecap-\(padded)\(format.suffix)"
            if access(path, F_OK) != 0 {
                do throws(CameraError) {
                    try write(bytes, path, mayReplace: false)
                    return path
                } catch .fileError(_, _, EEXIST) {
                    // Somebody else took the number meanwhile.
                }
            }
            number += 1
        }
    }

    /// Writes beside the final name, brings it to the disk, and only then gives it the name.
    private func write(_ bytes: [UInt8], _ path: String, mayReplace: Bool) throws(CameraError) {
        let temporary = "\(path).\(getpid()).part"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o666)
        guard descriptor >= 0 else { throw .fileError(path, call: "open", errno: errno) }
        var failure: (call: String, errno: Int32)? = nil
        bytes.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let put = Glibc.write(descriptor, bytes.baseAddress! + done, bytes.count - done)
                if put < 0 && errno == EINTR { continue }
                if put <= 0 {
                    failure = ("write", put == 0 ? ENOSPC : errno)
                    return
                }
                done += put
            }
        }
        if failure == nil && fsync(descriptor) != 0 { failure = ("fsync", errno) }
        if close(descriptor) != 0 && failure == nil { failure = ("close", errno) }
        if failure == nil {
            // A link refuses to replace what is there; a rename does not.
            if mayReplace {
                if rename(temporary, path) != 0 { failure = ("rename", errno) }
            } else if link(temporary, path) != 0 {
                failure = ("link", errno)
            }
        }
        unlink(temporary)
        if let failure { throw .fileError(path, call: failure.call, errno: failure.errno) }
    }
}
