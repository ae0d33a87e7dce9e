// SPDX-License-Identifier: MIT
// Shows a library's photos as text and as JSON objects.

import Glibc
import LivecapFiles
import LivecapFrames
import LivecapIntents
import LivecapPhotoStorage
import LivecapStills

/// Shows the photos of a library.
struct LibraryListing {
    private let library: PhotoLibrary
    /// Its folder, for people.
    private let place: String

    init(_ library: PhotoLibrary, at place: String) {
        self.library = library
        self.place = place
    }

    /// Prints a page of photos, and how to get the next one.
    func list(_ page: LibraryPage, _ console: inout Console) throws(Failure) {
        // One more than asked for, to find out whether there are more.
        var wanted = page
        wanted.limit = page.limit == .max ? .max : page.limit + 1
        let found = try consulting { () throws(LibraryError) in try library.photos(wanted) }
        let photos = found.prefix(page.limit)
        if console.writesJSON {
            for photo in photos { try console.print(.object(photo.members)) }
        } else {
            for line in Self.table(photos.map(\.cells)) { try console.print(line) }
        }
        try console.flush()
        if found.isEmpty { Console.note("no photos\(page.isWhole ? "" : " match") in \(place)") }
        if found.count > photos.count, let last = photos.last {
            Console.note("more photos: " + (page.order.isByMoment ? "--after \(last.id)" : "raise --limit"))
        }
        guard !console.writesJSON, !found.isEmpty else { return }
        Console.note(try consulting { () throws(LibraryError) in try library.summary() }.words)
    }

    /// Lines of cells, each padded to the width of its column. The last column is not padded, and an empty column is
    /// left out.
    private static func table(_ rows: [[(text: String, isNumber: Bool)]]) -> [String] {
        guard let columns = rows.first?.count else { return [] }
        let widths = (0..<columns).map { column in rows.map { $0[column].text.count }.max() ?? 0 }
        return rows.map { row in
            var cells: [String] = []
            for (column, cell) in row.enumerated() where widths[column] > 0 {
                let padding = String(repeating: " ", count: widths[column] - cell.text.count)
                cells.append(
                    cell.isNumber ? padding + cell.text : column == columns - 1 ? cell.text : cell.text + padding)
            }
            return cells.joined(separator: "  ")
        }
    }

    /// Prints everything known about a photo.
    func show(_ id: PhotoID, _ console: inout Console) throws(Failure) {
        let (photo, account) = try consulting { () throws(LibraryError) in
            (try library.photo(id), try library.account(of: id))
        }
        // If its frames cannot be read, the rest of the photo is still shown.
        let frames: Result<[StoredFrame], LibraryError>
        do throws(LibraryError) { frames = .success(try library.frames(of: id)) } catch { frames = .failure(error) }
        let movie = (try? library.bytes(of: photo.file)).flatMap { MotionPhoto($0) }?.movie.count
        if console.writesJSON {
            try console.print(
                .object(
                    photo.members + [("movieBytes", movie.map { JSON($0) } ?? .null)] + Self.members(account, frames)))
        } else {
            for line in Self.lines(photo, account: account, frames: frames, movie: movie) { try console.print(line) }
        }
    }

    private static func members(
        _ account: PhotoAccount, _ frames: Result<[StoredFrame], LibraryError>
    ) -> [(String, JSON)] {
        var members: [(String, JSON)] = [
            ("request", JSON(parsing: Array(account.request.utf8), depth: 32) ?? .null),
            ("provenance", JSON(parsing: Array(account.provenance.utf8), depth: 32) ?? .null),
        ]
        switch frames {
        case .success(let frames):
            members.append(
                (
                    "frames",
                    .array(
                        frames.map { frame in
                            .object([
                                ("id", .string("\(frame.metadata.id)")),
                                ("ns", .integer(frame.metadata.time.nanoseconds)),
                                ("bytes", JSON(frame.metadata.byteCount)), ("burst", .string("\(frame.burst)")),
                            ])
                        })
                ))
        case .failure(let error):
            members += [("frames", .null), ("framesError", .string(error.message))]
        }
        return members
    }

    private static func lines(
        _ photo: LibraryPhoto, account: PhotoAccount, frames: Result<[StoredFrame], LibraryError>, movie: Int?
    ) -> [String] {
        var lines = ["photo \(photo.id)", "  \(photo.path)"]
        switch photo.state {
        case .finished: lines.append("  finished: \(inBytes(photo.file.byteCount))")
        case .deferred: lines.append("  deferred: this is its proxy; its final is still to be made")
        case .failed(let reason): lines.append("  this is its proxy; its final cannot be made: \(reason)")
        }
        let lag = photo.lag.milliseconds
        let (given, asked) = (photo.qualityGiven.inWords, photo.qualityAsked.inWords)
        let quality = given == asked ? given : "\(given) instead of the requested \(asked)"
        lines += [
            "  taken \(photo.taken), \(lag >= 0 ? "+" : "")\(fixed(lag, 2)) ms from the requested moment",
            "  \(photo.size), \(quality)",
        ]
        if photo.rating > 0 { lines.append("  rated \(counted(photo.rating, "star"))") }
        if let group = photo.group {
            lines.append("  taken by \(group.stream), one of the cameras of group \(group.id)")
        }
        if photo.removed != nil {
            lines.append("  in the trash: 'livecap library restore \(photo.id)' brings it back")
        }
        if let movie { lines.append("  a movie of the moments around it: \(inBytes(movie)) of its file") }
        if photo.hasMask { lines.append("  a mask of where people are: 'livecap library mask \(photo.id)' copies it") }
        switch frames {
        case .success(let frames) where frames.isEmpty:
            lines.append("  no source frames kept: 'livecap develop' cannot make it again")
        case .success(let frames):
            lines.append("  \(counted(frames.count, "source frame")) kept for it, \(inBytes(photo.keptBytes))")
        case .failure(let error): lines.append("  its source frames cannot be read: \(error.message)")
        }
        lines.append("  'livecap info' on its file shows how it was made")
        return lines
    }
}

extension LibraryPhoto {
    /// The photo as members of a JSON object.
    var members: [(String, JSON)] {
        var members: [(String, JSON)] = [
            ("id", .integer(id.number)), ("file", .string(path)), ("state", .string(state.name)),
            ("proxy", .bool(isProxy)), ("taken", .string("\(taken)")), ("takenUtcNs", .integer(taken.utcNanoseconds)),
            ("tapNs", .integer(tap.nanoseconds)), ("referenceNs", .integer(reference.nanoseconds)),
            ("lagMs", JSON(milliseconds: lag)), ("width", JSON(size.width)), ("height", JSON(size.height)),
            ("format", JSON(format.map { String($0.suffix.dropFirst()) })),
            ("qualityAsked", JSON(qualityAsked?.rawValue)),
            ("qualityGiven", JSON(qualityGiven?.rawValue)), ("bytes", JSON(file.byteCount)),
            ("keptFrames", JSON(keptFrames)),
            ("keptBytes", JSON(keptBytes)),
            ("hasMask", .bool(hasMask)),
            ("addedUtcNs", .integer(added.utcNanoseconds)),
            ("finishedUtcNs", finished.map { .integer($0.utcNanoseconds) } ?? .null),
            ("rating", JSON(rating)), ("groupId", JSON(group?.id)), ("groupStream", JSON(group?.stream)),
            ("removedUtcNs", removed.map { .integer($0.utcNanoseconds) } ?? .null),
        ]
        if case .failed(let reason) = state { members.append(("reason", .string(reason))) }
        return members
    }

    /// The photo as the cells of a table's row.
    fileprivate var cells: [(text: String, isNumber: Bool)] {
        let kept = keptFrames == 0 ? "" : "\(counted(keptFrames, "frame")) \(inBytes(keptBytes))"
        // Made printable here, because a cell's width is that of the text shown.
        return [
            (String(repeating: " ", count: max(0, 6 - "\(id)".count)) + "\(id)", true), (taken.inWords, false),
            ("\(size)", false), (qualityGiven.inWords, false), (inBytes(file.byteCount), true), (kept, true),
            (isProxy ? state.name : "", false), (String(repeating: "*", count: rating), false),
            (group?.id ?? "", false), (path, false),
        ]
    }

    /// A line that identifies it.
    var brief: String { "photo \(id)  \(taken.inWords)  \(size)  \(qualityGiven.inWords)  \(inBytes(file.byteCount))" }
}

extension LibraryPage {
    /// Whether the page selects from all photos.
    fileprivate var isWhole: Bool {
        after == nil && !unfinishedOnly && days == nil && minimumRating == nil && group == nil && !trashOnly
    }
}

extension LibrarySummary {
    /// For people.
    fileprivate var words: String {
        let left = unfinished > 0 ? ", \(unfinished) of them unfinished" : ""
        let kept = keptFrames > 0 ? "; \(counted(keptFrames, "source frame")) kept, \(inBytes(keptBytes))" : ""
        let trash = trashed > 0 ? "; \(counted(trashed, "photo")) in the trash" : ""
        return "the library has \(counted(photos, "photo"))\(left), \(inBytes(bytes))\(kept)\(trash)"
    }
}

/// Whether there is a directory at a path.
func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}

extension PhotoQuality? {
    /// For people; a newer version's quality has no name here.
    var inWords: String { self?.rawValue ?? "unknown quality" }
}
