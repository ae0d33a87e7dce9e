// SPDX-License-Identifier: MIT
// Pictures that accompany a photo and explain it: a comparison with the frame, and a picture of what it rests on.

import Glibc
import LiveCapture
import LivecapCommandTable
import LivecapFiles
import LivecapStills

/// A kind of picture that accompanies each photo, and its files.
struct Companion {
    private let files: PhotoFiles
    private let bytes: (Photo) -> [UInt8]?
    /// The note for a photo that has no such picture.
    private let lack: String

    /// The kinds of pictures that the command line asks for.
    static func all(_ arguments: Arguments, _ pictures: PictureOptions, count: Int) throws(Failure) -> [Companion] {
        var taken = [canonical(pictures.output)]
        var companions: [Companion] = []
        for (option, bytes, lack) in [
            (ShootOptions.comparison, \Photo.comparison, "is an unchanged frame: there is nothing to compare"),
            (ShootOptions.explanation, \Photo.explanation, "is an unchanged frame: there is nothing to explain"),
            (ShootOptions.mask, \Photo.mask, "has no effects: nobody was looked for"),
        ] {
            guard let path = arguments[option] else { continue }
            let name = "--\(option.declaration.name)"
            guard OutputTarget(path) == .stream || !taken.contains(canonical(path)) else {
                throw .pictures("\(name): \(path) is also the name of another picture", hint: "give each its own name")
            }
            if OutputTarget.descriptor(namedBy: path) == STDOUT_FILENO {
                throw .pictures("\(name) does not write to standard output", hint: "name a file")
            }
            taken.append(canonical(path))
            if let kind = StillFormat(suffixOf: path), kind != .png {
                throw .pictures("\(name): \(path) would hold a PNG picture", hint: "name it .png")
            }
            let files = try creating { () throws(FileError) in
                try PhotoFiles(path, .png, count: count, mayReplace: pictures.mayReplace)
            }
            companions.append(Companion(files: files, bytes: { $0[keyPath: bytes] }, lack: lack))
        }
        return companions
    }

    /// Writes a photo's picture. Returns the failure, if any; the photo itself is not affected.
    func write(_ photo: Photo) -> Failure? {
        guard let bytes = bytes(photo) else {
            Console.note("note: shot \(photo.shot) \(lack)")
            return nil
        }
        let number = Int(clamping: photo.shot.number)
        // However the path is spelt, and whatever links to it.
        if let path = files.path(number), let picture = photo.file, canonical(path) == canonical(picture) {
            return .pictures("\(path) is the picture itself", hint: "give the accompanying picture its own name")
        }
        do throws(Failure) {
            _ = try creating { () throws(FileError) in
                try files.write(bytes, number: number, at: photo.taken)
            }
            return nil
        } catch { return error }
    }
}

/// A path without links and detours. For a file that does not exist yet, its folder is resolved.
private func canonical(_ path: String) -> String {
    if let path = resolvedPath(path) { return path }
    let name = path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
    let folder = String(path.dropLast(name.count))
    return (resolvedPath(folder.isEmpty ? "." : folder) ?? folder) + "/" + name
}
