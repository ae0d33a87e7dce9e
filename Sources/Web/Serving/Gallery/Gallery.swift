// SPDX-License-Identifier: MIT
// A folder of photos that any web server shows, and a double click on its index.html, too.

import Glibc
import LivecapFiles
import LivecapFrameFiles
import LivecapPhotoStorage

/// A folder with a page, the photos that it shows, and their thumbnails.
///
/// Each file is complete before it gets its name, and the list of photos is replaced last: whatever ends the program,
/// the page shows photos that are there. Files that the list does not name are left alone, and so are listed ones that
/// have changed since.
package final class Gallery {
    /// What became of a photo.
    package enum Outcome: String, Sendable {
        case added, updated, unchanged
    }

    /// A photo of the gallery.
    package struct Addition: Sendable {
        package let outcome: Outcome
        /// The path of its file.
        package let path: String
        package let photo: LibraryPhoto
    }

    private let folder: String
    private let lock: GalleryLock
    private let calls = FileCalls()
    /// Whether it has a list of photos already.
    private let isKnown: Bool
    private var entries: [GalleryEntry.Key: GalleryEntry] = [:]
    private var names: Set<String> = []
    private var isChanged = false
    /// Files of photos that have others now. They are removed once no list names them.
    private var obsolete: [(path: String, byteCount: Int, checksum: String)] = []

    /// The page, which is opened to see the photos.
    package var page: String { "\(folder)/index.html" }
    /// How many photos it has.
    package var count: Int { entries.count }

    /// Opens the gallery in a folder, or makes one.
    package init(_ path: String) throws(GalleryError) {
        let trimmed = path.lastIndex { $0 != "/" }.map { String(path[...$0]) } ?? "/"
        folder = trimmed
        try Self.makeFolder(trimmed)
        lock = try GalleryLock(trimmed)
        let found = try Self.listed(in: trimmed)
        TemporaryFile.sweep(trimmed)
        for name in [Self.photos, Self.thumbnails] {
            let path = "\(trimmed)/\(name)"
            try Self.makeFolder(path)
            try Self.checkFolder(path)
            TemporaryFile.sweep(path)
        }
        isKnown = found != nil
        for entry in found ?? [] { entries[entry.key] = entry }
        names = Set((found ?? []).map(\.name))
    }

    /// The photos that the list of a folder names; nil if it has none. Throws if a file there is in the way.
    private static func listed(in folder: String) throws(GalleryError) -> [GalleryEntry]? {
        if let text = try contents("\(folder)/\(list)") {
            guard let found = GalleryList.entries(text) else { throw .foreign("\(folder)/\(list)") }
            return found
        }
        for (name, file) in pageFiles {
            let path = "\(folder)/\(name)"
            if let text = try contents(path), text != file.bytes { throw .foreign(path) }
        }
        return nil
    }

    /// Adds a photo, or what has changed of it since it was added.
    package func add(_ id: PhotoID, of library: PhotoLibrary) throws(GalleryError) -> Addition {
        do throws(LibraryError) {
            let photo = try library.photo(id)
            if let entry = entries[photo.key], entry.isCurrent(photo), isThere(entry) {
                return Addition(outcome: .unchanged, path: path(of: entry.name), photo: photo)
            }
        } catch { throw .library(error) }
        let (photo, bytes): (LibraryPhoto, [UInt8])
        let account: PhotoAccount
        let thumbnail: [UInt8]?
        do throws(LibraryError) {
            (photo, bytes) = try library.copy(of: id)
            (account, thumbnail) = (try library.account(of: id), try library.thumbnail(of: id))
        } catch { throw .library(error) }
        let old = entries[photo.key]
        let name = try place(bytes, of: photo, after: old)
        let small = thumbnailPath(name)
        if let thumbnail, access(small, F_OK) != 0 { _ = try write(thumbnail, to: small) }
        if let old, old.name != name {
            obsolete.append((path(of: old.name), old.byteCount, old.checksum))
            if let thumbnail { obsolete.append((thumbnailPath(old.name), thumbnail.count, Self.checksum(thumbnail))) }
            names.remove(old.name)
        }
        entries[photo.key] = GalleryEntry(photo, account, name: name)
        names.insert(name)
        isChanged = true
        return Addition(outcome: old == nil ? .added : .updated, path: path(of: name), photo: photo)
    }

    /// Writes the page and its list, and removes files that it no longer shows.
    package func finish() throws(GalleryError) {
        for name in [Self.photos, Self.thumbnails] {
            do throws(FileError) { try syncFolder("\(folder)/\(name)", calls) } catch { throw .file(error) }
        }
        for (name, file) in Self.pageFiles { try replace("\(folder)/\(name)", by: file.bytes) }
        if isChanged || !isKnown {
            let newest = entries.values.sorted { ($0.key.taken, $0.key.id) > ($1.key.taken, $1.key.id) }
            try replace("\(folder)/\(Self.list)", by: GalleryList.text(newest))
        }
        do throws(FileError) { try syncFolder(folder, calls) } catch { throw .file(error) }
        isChanged = false
        for file in obsolete where Self.holds(file.path, file.byteCount, file.checksum) { unlink(file.path) }
        obsolete = []
    }

    // MARK: Files

    private static let list = "photos.js"
    private static let photos = "photos"
    private static let thumbnails = "thumbnails"
    /// The files of the page, by their names in a gallery.
    private static let pageFiles: [(name: String, file: PageFile)] = {
        let files = PageFiles()
        return [("export.css", "export.css"), ("export.js", "export.js"), ("index.html", "export.html")]
            .compactMap { name, source in files[source].map { (name, $0) } }
    }()

    private func path(of name: String) -> String { "\(folder)/\(Self.photos)/\(name)" }
    private func thumbnailPath(_ name: String) -> String { "\(folder)/\(Self.thumbnails)/\(name).jpg" }

    /// Whether the file of a listed photo is there, as far as its size tells.
    private func isThere(_ entry: GalleryEntry) -> Bool {
        var status = stat()
        return lstat(path(of: entry.name), &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            && Int(status.st_size) == entry.byteCount
    }

    /// Writes a photo's file under a name that is free, or that has been its own, and returns the name.
    private func place(
        _ bytes: [UInt8], of photo: LibraryPhoto, after old: GalleryEntry?
    ) throws(GalleryError) -> String {
        let wished = photo.galleryName
        var (name, number) = (wished, 1)
        while true {
            let path = path(of: name)
            if let old, old.name == name {
                // A photo's file may have got a movie since. Whoever else has changed the copy keeps it.
                if Self.holds(path, old.byteCount, old.checksum) {
                    try replace(path, by: bytes)
                    return name
                }
                if try write(bytes, to: path) { return name }
            } else if !names.contains(name) {
                if try write(bytes, to: path) { return name }
            }
            // Left by an export that was killed.
            let isOthers = names.contains(name) && old?.name != name
            if !isOthers, Self.holds(path, photo.file.byteCount, photo.checksum) { return name }
            number += 1
            name = wished.numbered(number)
        }
    }

    /// Writes a new file. Returns false if the name is taken.
    private func write(_ bytes: [UInt8], to path: String) throws(GalleryError) -> Bool {
        do throws(FileError) {
            var file = try TemporaryFile.holding(bytes, in: path.folderPath, for: path, calls)
            return try file.takeName(path, mayReplace: false)
        } catch { throw .file(error) }
    }

    /// Writes a file that is the gallery's own, unless it has these bytes.
    private func replace(_ path: String, by bytes: [UInt8]) throws(GalleryError) {
        guard try Self.contents(path) != bytes else { return }
        do throws(FileError) {
            var file = try TemporaryFile.holding(bytes, in: path.folderPath, for: path, calls)
            _ = try file.takeName(path, mayReplace: true)
        } catch { throw .file(error) }
    }

    private static func makeFolder(_ path: String) throws(GalleryError) {
        guard mkdir(path, 0o777) == 0 || errno == EEXIST else {
            throw .file(.failed(path, call: "mkdir", errno: errno))
        }
    }

    /// Throws unless a folder in the gallery is one: through a link, files elsewhere would be written and removed.
    private static func checkFolder(_ path: String) throws(GalleryError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw .file(.failed(path, call: "stat", errno: errno)) }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .foreign(path) }
    }

    /// A whole file of a page; nil if there is none.
    private static func contents(_ path: String) throws(GalleryError) -> [UInt8]? {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw .file(.failed(path, call: "stat", errno: errno))
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .foreign(path) }
        let bytes: [UInt8]?
        do throws(FrameFileError) { bytes = try wholeFile(path, atMost: 1 << 28) } catch {
            if case .file(let error) = error { throw .file(error) }
            throw .foreign(path)
        }
        guard let bytes else { throw .foreign(path) }
        return bytes
    }

    private static func checksum(_ bytes: [UInt8]) -> String {
        String(bytes.withUnsafeBytes { Checksum.of($0) }, radix: 16)
    }

    /// Whether a file has these contents.
    private static func holds(_ path: String, _ byteCount: Int, _ checksum: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, Int(status.st_size) == byteCount,
            let bytes = try? wholeFile(path, atMost: byteCount)
        else { return false }
        return self.checksum(bytes) == checksum
    }
}

/// Keeps other programs from changing a gallery at the same time.
private final class GalleryLock {
    private let descriptor: Int32

    init(_ folder: String) throws(GalleryError) {
        descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .file(.failed(folder, call: "open", errno: errno)) }
        // On file systems without locks, nobody else is looked for.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else { throw .busy(folder) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
