// SPDX-License-Identifier: MIT
// The library that a command uses, and how it is opened.

import Glibc
import LivecapCommandTable
import LivecapFiles
import LivecapMovies
import LivecapPhotoStorage

/// The library of a command line.
enum LibraryPlace {
    /// The option of every command that uses a library.
    static let option = Option(
        "library", .file("DIR"),
        help: "The library's folder (default: livecap/library in $XDG_DATA_HOME, or in ~/.local/share)")

    /// The same option for commands that take pictures. Without it, these write pictures elsewhere.
    static let intoOption = Option(
        "library", .file("DIR"),
        help:
            "Store the picture in this library, which is created if needed",
        details: "Pictures that take long then start as a proxy (--defer)")

    /// The library's path.
    static func path(_ arguments: Arguments) -> String { arguments[option] ?? usual }

    /// Where movies go that pages record, unless the command line says otherwise: into a folder of the library, which
    /// holds photos beside it. Nil if none can be made there, which is noted.
    static func movies(_ library: PhotoLibrary?) -> MovieNames? {
        guard let library else { return nil }
        do throws(FileError) { return try MovieNames(in: library.path + "/movies") } catch {
            Console.note("note: the page records no movies: \(error.message)")
            return nil
        }
    }

    /// The default library, after the XDG Base Directory Specification: only an absolute path counts.
    private static var usual: String {
        let data = pathInEnvironment("XDG_DATA_HOME") ?? ""
        return "\(data.hasPrefix("/") ? data : "\(home)/.local/share")/livecap/library"
    }

    private static var home: String {
        if let home = pathInEnvironment("HOME") { return home }
        guard let entry = getpwuid(getuid()) else { return "." }
        return FileName.text(cString: entry.pointee.pw_dir)
    }

    /// Opens it. Only a command that adds photos creates a library.
    static func open(_ arguments: Arguments, mayCreate: Bool = false) throws(Failure) -> PhotoLibrary {
        var options = LibraryOptions()
        options.mayCreate = mayCreate
        return try consulting { () throws(LibraryError) in try PhotoLibrary(path(arguments), options) }
    }
}

/// Calls `body` and translates its error to `Failure`.
func consulting<Result: ~Copyable>(_ body: () throws(LibraryError) -> Result) throws(Failure) -> Result {
    do throws(LibraryError) { return try body() } catch { throw .library(error) }
}
