// SPDX-License-Identifier: MIT
// Copies photos out of a library.

import Glibc
import LivecapFiles

/// A photo copied out of its library.
public struct ExportedPhoto: Hashable, Codable, Sendable {
    /// The path of the copy.
    public let path: String
    /// Whether it is a proxy, because there was no final yet.
    public let isProxy: Bool
    /// The size of the copy in bytes.
    public let byteCount: Int
}

extension PhotoLibrary {
    /// Copies a photo's current file to `output`: a file, or a folder, in which the copy is named after its moment. A
    /// folder is created if `output` ends with a slash. A pipe or a device is written to directly. The checksum is
    /// verified on the way, and the copy is complete and durable before it gets its name.
    ///
    /// If a `picture` of the photo as it was is given, a JPEG file, that is written instead of the photo's own file.
    package func export(
        _ id: PhotoID, to output: String, overwrite: Bool = false, picture: (of: LibraryPhoto, bytes: [UInt8])? = nil
    ) throws(LibraryError) -> ExportedPhoto {
        let (photo, bytes) = if let picture { (picture.of, picture.bytes) } else { try copy(of: id) }
        return try put(bytes, of: photo, to: output, overwrite: overwrite, suffix: picture == nil ? nil : ".jpg")
    }

    /// Writes what was made of a photo to `output`. In a folder, it has the name of the photo's copy, with that suffix
    /// if one is given.
    func put(
        _ bytes: [UInt8], of photo: LibraryPhoto, to output: String, overwrite: Bool, suffix: String?
    ) throws(LibraryError) -> ExportedPhoto {
        let path: String
        let isNamed: Bool
        do throws(LibraryError) {
            path = try target(output, photo, suffix: suffix)
            isNamed = try write(bytes, to: path, overwrite: overwrite)
        } catch .fileError(let path, _, let reason) where [EACCES, EPERM, EROFS].contains(reason) {
            // The library itself is not the cause.
            throw .notCreatable(path, errno: reason)
        }
        guard isNamed else { throw .alreadyThere(path) }
        return ExportedPhoto(path: path, isProxy: photo.isProxy, byteCount: bytes.count)
    }

    /// A photo and the bytes of its current file, whose checksum was verified. The error says whether what is lost can
    /// be made again.
    package func copy(of id: PhotoID) throws(LibraryError) -> (photo: LibraryPhoto, bytes: [UInt8]) {
        do throws(LibraryError) { return try currentFile(of: id) } catch {
            guard error.isLossOfFile, try photo(id).keptFrames > 0 else { throw error }
            throw .remakeable(id, error)
        }
    }

    /// Writes the copy. Returns false if the name is taken.
    private func write(_ bytes: [UInt8], to path: String, overwrite: Bool) throws(LibraryError) -> Bool {
        switch OutputTarget(path) {
        case .file: break
        case .stream:
            try fileCall { () throws(FileError) in try OutputStream(path).write(bytes) }
            return true
        case .folder: throw .fileError(path, call: "open", errno: EISDIR)
        case .foreign(let what): throw .unsafePath(path, detail: "it is \(what), and is never replaced")
        }
        let parent = path.folderPath
        return try fileCall { () throws(FileError) in
            var file = try TemporaryFile.holding(bytes, in: parent, for: path, folder.calls)
            guard try file.takeName(path, mayReplace: overwrite) else { return false }
            try syncFolder(parent, folder.calls)
            return true
        }
    }

    private func target(_ output: String, _ photo: LibraryPhoto, suffix: String?) throws(LibraryError) -> String {
        var status = stat()
        let folders = output.lastIndex { $0 != "/" }.map { String(output[...$0]) } ?? "/"
        let isFolder = stat(output, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        guard isFolder || output.hasSuffix("/") else { return output }
        if !isFolder {
            guard mkdir(folders, 0o777) == 0 || errno == EEXIST else {
                throw .fileError(folders, call: "mkdir", errno: errno)
            }
            try fileCall { () throws(FileError) in try syncFolder(folders.folderPath, folder.calls) }
        }
        // `photos/2026-11-21/223015-042-1.jpg` becomes `2026-11-21-223015-042-1.jpg`.
        var name = photo.file.place.split(separator: "/").dropFirst().joined(separator: "-")
        if let suffix, let dot = name.lastIndex(of: ".") { name = name[..<dot] + suffix }
        return folders == "/" ? "/\(name)" : "\(folders)/\(name)"
    }
}
