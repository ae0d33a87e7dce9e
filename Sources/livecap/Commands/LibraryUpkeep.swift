// SPDX-License-Identifier: MIT
// Exports, verifies and cleans up a library's photos, and reports the results.

import Glibc
import LiveCapture
import LivecapFiles
import LivecapIntents
import LivecapPhotoStorage
import LivecapStills

extension CleanUpReport {
    /// What was removed, for people.
    var words: String {
        (removedPhotos > 0 ? "removed \(counted(removedPhotos, "photo")) that had been in the trash; " : "")
            + "removed \(counted(removedFiles, "file")) of kept frames, \(removedBytes / 1_000_000) MB; "
            + "\(counted(leftFiles, "file")) left, \(leftBytes / 1_000_000) MB"
    }
}

/// Works on a library.
struct LibraryUpkeep {
    private let library: PhotoLibrary

    init(_ library: PhotoLibrary) { self.library = library }

    /// Copies a photo's current file, or makes a picture of it.
    func export(
        _ id: PhotoID, to output: String, overwrite: Bool, as settings: ImageSettings?, _ console: inout Console
    ) throws(Failure) {
        let before = try consulting { () throws(LibraryError) in try library.photo(id) }
        try check(output, settings == nil ? StillFormat(suffixOf: before.file.place) : .jpeg, &console)
        var picture: SizedImage?
        if let settings { picture = try attempt { () throws(PhotoError) in try library.image(of: id, settings) } }
        let output = try OutputName.path(output, at: before.taken, mayReplace: overwrite)
        let exported = try consulting { () throws(LibraryError) in
            try library.export(id, to: output, overwrite: overwrite, picture: picture.map { ($0.photo, $0.bytes) })
        }
        let size = picture.map { [("size", JSON.string("\($0.format.size)"))] }
        try report(exported, of: id, size ?? [], proxy: "the proxy", &console)
    }

    /// Copies a photo's mask.
    func exportMask(
        of id: PhotoID, to output: String, overwrite: Bool, _ console: inout Console
    ) throws(Failure) {
        try check(output, .png, &console)
        let taken = try consulting { () throws(LibraryError) in try library.photo(id).taken }
        let output = try OutputName.path(output, at: taken, mayReplace: overwrite)
        let exported = try consulting { () throws(LibraryError) in
            try library.exportMask(of: id, to: output, overwrite: overwrite)
        }
        try report(exported, of: id, [], proxy: "the proxy's", &console)
    }

    /// Refuses a name that belongs to another format.
    private func check(_ output: String, _ format: StillFormat?, _ console: inout Console) throws(Failure) {
        if OutputTarget.descriptor(namedBy: output) == STDOUT_FILENO { try console.leaveStandardOutput() }
        guard OutputTarget(output) != .stream, let format else { return }
        do throws(FileError) { try PhotoFiles.checkName(output, format) } catch {
            let hint = "name it \(format.suffix), or a directory; 'livecap develop' makes other formats"
            throw .camera(.badSettings(error.message, hint: hint))
        }
    }

    private func report(
        _ exported: ExportedPhoto, of id: PhotoID, _ more: [(String, JSON)], proxy: String, _ console: inout Console
    ) throws(Failure) {
        if console.writesJSON {
            try console.print(
                .object(
                    [
                        ("id", .integer(id.number)), ("file", .string(exported.path)),
                        ("proxy", .bool(exported.isProxy)),
                        ("bytes", JSON(exported.byteCount)),
                    ] + more))
        } else {
            try console.print(
                "\(exported.path)\(exported.isProxy ? "  (\(proxy): its final is still to be made)" : "")")
        }
    }

    /// Reads and checks everything. Returns the exit status. A terminal shows progress.
    func verify(_ console: inout Console) throws(Failure) -> Int32 {
        var progress = Progress()
        let report = try consulting { () throws(LibraryError) in
            try library.verify { so in
                progress.show {
                    "checked \(so.photos) of \(so.allPhotos) photos, \(so.frames) of \(so.allFrames) frames"
                }
                return true
            }
        }
        for problem in report.problems { try print(problem, &console) }
        for (id, reason) in report.failed.sorted(by: { $0.key < $1.key }) where !console.writesJSON {
            try console.print("photo \(id) cannot be finished: \(reason); 'livecap library finish \(id)' tries again")
        }
        if console.writesJSON {
            try console.print(
                .object([
                    ("photos", JSON(report.photos)), ("unfinished", JSON(report.unfinished)),
                    ("failed", .array(report.failed.keys.sorted().map { .integer($0.number) })),
                    ("frames", JSON(report.frames)), ("bytes", JSON(report.bytes)),
                    ("problems", JSON(report.problems.count)),
                    ("unlisted", .array(report.unlisted.map { .string($0) })),
                    ("intact", .bool(report.problems.isEmpty)),
                ]))
        } else {
            for place in report.unlisted { try console.print("\(place): no photo refers to it") }
            let checked =
                "\(counted(report.photos, "photo")), \(report.unfinished) of them unfinished, "
                + "\(counted(report.frames, "kept frame")), \(report.bytes / 1_000_000) MB read"
            try console.print(
                "\(checked): \(report.problems.isEmpty ? "everything is intact" : words(report.problems.count))")
        }
        return report.problems.isEmpty ? 0 : 65
    }

    private func words(_ problems: Int) -> String { "\(counted(problems, "problem"))" }

    private func print(_ problem: LibraryProblem, _ console: inout Console) throws(Failure) {
        if console.writesJSON {
            try console.print(
                .object([
                    ("problem", .string(problem.kind.rawValue)),
                    ("photo", problem.photo.map { .integer($0.number) } ?? .null),
                    ("place", .string(problem.place)), ("detail", .string(problem.detail)),
                    ("canBeMadeAgain", .bool(problem.canBeMadeAgain)),
                ]))
        } else {
            let photo = problem.photo.map { "photo \($0), " } ?? ""
            let remedy = problem.photo.map { "; its frames are kept: 'livecap library finish \($0)' makes it again" }
            let words = problem.canBeMadeAgain ? remedy ?? "" : ""
            try console.print("\(photo)\(problem.place): \(problem.detail)\(words)")
        }
    }

    /// Removes kept frames that are no longer needed, and photos that were in the trash for long.
    func clean(_ policy: CleanUpPolicy, _ console: inout Console) throws(Failure) {
        let report = try consulting { () throws(LibraryError) in try library.cleanUp(policy) }
        if console.writesJSON {
            try console.print(
                .object([
                    ("removedPhotos", JSON(report.removedPhotos)), ("removedFiles", JSON(report.removedFiles)),
                    ("removedBytes", JSON(report.removedBytes)),
                    ("leftFiles", JSON(report.leftFiles)), ("leftBytes", JSON(report.leftBytes)),
                ]))
        } else {
            try console.print(report.words)
        }
    }
}
