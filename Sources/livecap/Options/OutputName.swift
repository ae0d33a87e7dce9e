// SPDX-License-Identifier: MIT
// Names of movies and recordings on the command line, which may have placeholders as names of pictures have.

import LiveCapture
import LivecapCommandTable
import LivecapFiles
import LivecapFrameFiles
import LivecapFrames
import LivecapMovies

enum OutputName {
    /// The name of a movie: in a folder, it is the next one of those that are there.
    static func movie(_ name: String, _ kind: MovieContainer = .mkv) throws(Failure) -> String {
        guard name.hasSuffix("/") || OutputTarget(name) == .folder else { return name }
        let folder = try path(name.hasSuffix("/") ? name : name + "/", mayReplace: false)
        return try creating { () throws(FileError) in try MovieNames(in: folder).next(kind).path }
    }

    /// For help.
    static let help =
        "%03d in its name is the next free number, and conversions of strftime, as in %Y/%m/%d-%H%M%S, are the time when it "
        + "is begun, also in folders, which are then made; %% is a percent sign"

    /// The path that a name on the command line stands for, for a file begun now.
    static func path(
        _ name: String, at moment: CalendarTime = CalendarTime(wall: .now), mayReplace: Bool, isSplit: Bool = false
    ) throws(Failure) -> String {
        try creating { () throws(FileError) in
            let isPartOfDate = try FolderPattern(name.folderPath).isPattern
            if isSplit, let pattern = try NamePattern(name.lastName, isPartOfDate: isPartOfDate), pattern.isNumbered {
                throw .badName(
                    "\(name): the parts of a split movie have numbers of their own",
                    hint: "leave the number out: those of walk.mkv are walk-001.mkv, walk-002.mkv and so on")
            }
            return try NamePattern.filled(name, at: moment, mayReplace: mayReplace)
        }
    }
}
