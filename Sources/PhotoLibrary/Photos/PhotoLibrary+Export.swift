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
    /// Copies what there is of a photo to `output`: a file, or a folder, where it is named after its moment. Its checksum is
    /// compared on the way; the copy is whole, and on the disk, before it has its name.
    public func export(
        _ id: PhotoID, to output: String, overwrite: Bool = false
    ) throws(LibraryError) -> ExportedPhoto {
        let photo = try photo(id)
        var bytes: [UInt8] = []
        try read(photo.file) { bytes.append(contentsOf: $0) }
        let path = try Self.target(output, photo)
        let slash = path.lastIndex(of: "/")
        let parent = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let isNamed = try cameraCall { () throws(CameraError) in
            var file = try TemporaryFile.holding(bytes, in: parent, for: path, folder.calls)
            guard try file.takeName(path, mayReplace: overwrite) else { return false }
            try syncFolder(parent, folder.calls)
            return true
        }
        guard isNamed else { throw .alreadyThere(path) }
        return ExportedPhoto(path: path, isProxy: photo.isProxy, byteCount: bytes.count)
    }

    private static func target(_ output: String, _ photo: LibraryPhoto) throws(LibraryError) -> String {
        var status = stat()
        let isFolder = stat(output, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        guard isFolder || output.hasSuffix("/") else { return output }
        // `photos/2026-11-21/223015-042-1.jpg` becomes `2026-11-21-223015-042-1.jpg`.
        let name = photo.file.place.split(separator: "/").dropFirst().joined(separator: "-")
        return output.hasSuffix("/") ? output + name : "\(output)/\(name)"
    }
}
