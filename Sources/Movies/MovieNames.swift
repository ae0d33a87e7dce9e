// SPDX-License-Identifier: MIT
// Names of movies in a folder, one after the other.

import Glibc
import LivecapFiles
import LivecapThreads

/// Names for all who make movies in a folder, numbered as photos are: `livecap-0001.mkv`, `livecap-0002.mp4`. Nobody
/// gets a name twice, because a movie's file has its name only once it holds a picture.
package final class MovieNames: Sendable {
    /// The folder.
    package let folder: String
    private let names: Guarded<NumberedNames>

    /// Creates the folder if it is missing.
    /// - Throws: why no movie could be made there.
    package init(in folder: String) throws(FileError) {
        let end = folder.lastIndex { $0 != "/" }
        let place = end.map { String(folder[...$0]) } ?? "/"
        if mkdir(place, 0o777) != 0, errno != EEXIST { throw .failed(place, call: "mkdir", errno: errno) }
        var status = stat()
        if stat(place, &status) == 0, status.st_mode & S_IFMT != S_IFDIR {
            throw .failed(place + "/.", call: "open", errno: ENOTDIR)
        }
        try TemporaryFile.tryFolder(place, for: folder, FileCalls())
        self.folder = folder
        names = Guarded(
            NumberedNames((place == "/" ? "" : place) + "/livecap-", suffix: "", width: 4) {
                MovieContainer(path: String($0)) != nil
            })
    }

    /// The next number, and the path of a movie of that kind.
    package func next(_ kind: MovieContainer) -> (number: Int, path: String) {
        let (number, path) = names.withLock { $0.next() }
        return (number, "\(path).\(kind.rawValue)")
    }
}
