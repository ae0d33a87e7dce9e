// SPDX-License-Identifier: MIT
// Photos copied out of the library.

import Camera
import DurableFiles
import Glibc

/// A photo that was copied out of its library.
public struct ExportedPhoto: Hashable, Sendable {
    /// Where it is now.
    public let path: String
    /// Whether it is a proxy: the final was not there yet.
    public let isProxy: Bool
    /// How many bytes it has.
    public let byteCount: Int
}

extension PhotoLibrary {
    /// Copies what there is of a photo to `output`: a file, or a folder, where it is named after its moment; one that ends with a
    /// slash is made. A pipe or a device is written through. Its checksum is compared on the way; the copy is whole, and on the disk, before it has its name.
    public func export(
        _ id: PhotoID, to output: String, overwrite: Bool = false
    ) throws(LibraryError) -> ExportedPhoto {
        let photo = try photo(id)
        var bytes: [UInt8] = []
        try read(photo.file) { bytes.append(contentsOf: $0) }
        let path: String
        let isNamed: Bool
        do throws(LibraryError) {
            path = try target(output, photo)
            isNamed = try write(bytes, to: path, overwrite: overwrite)
        } catch .fileError(let path, _, let reason) where [EACCES, EPERM, EROFS].contains(reason) {
            // No lack of rights to the library.
            throw .notCreatable(path, errno: reason)
        }
        guard isNamed else { throw .alreadyThere(path) }
        return ExportedPhoto(path: path, isProxy: photo.isProxy, byteCount: bytes.count)
    }

    /// Whether the file got its name; false where there is one of that name.
    private func write(_ bytes: [UInt8], to path: String, overwrite: Bool) throws(LibraryError) -> Bool {
        switch OutputPlace(path) {
        case .file: break
        case .stream:
            try cameraCall { () throws(CameraError) in try OutputStream(path).write(bytes) }
            return true
        case .folder: throw .fileError(path, call: "open", errno: EISDIR)
        case .foreign(let what): throw .unsafePath(path, detail: "it is \(what), which is never replaced")
        }
        let slash = path.lastIndex(of: "/")
        let parent = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        return try cameraCall { () throws(CameraError) in
            var file = try TemporaryFile.holding(bytes, in: parent, for: path, folder.calls)
            guard try file.takeName(path, mayReplace: overwrite) else { return false }
            try syncFolder(parent, folder.calls)
            return true
        }
    }

    private func target(_ output: String, _ photo: LibraryPhoto) throws(LibraryError) -> String {
        var status = stat()
        let folders = output.lastIndex { $0 != "/" }.map { String(output[...$0]) } ?? "/"
        let isFolder = stat(output, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        guard isFolder || output.hasSuffix("/") else { return output }
        if !isFolder {
            guard mkdir(folders, 0o777) == 0 || errno == EEXIST else {
                throw .fileError(folders, call: "mkdir", errno: errno)
            }
            let above =
                folders.lastIndex(of: "/").map { $0 == folders.startIndex ? "/" : String(folders[..<$0]) } ?? "."
            try cameraCall { () throws(CameraError) in try syncFolder(above, folder.calls) }
        }
        // `photos/2026-11-21/223015-042-1.jpg` becomes `2026-11-21-223015-042-1.jpg`.
        let name = photo.file.place.split(separator: "/").dropFirst().joined(separator: "-")
        return folders == "/" ? "/\(name)" : "\(folders)/\(name)"
    }
}
