// SPDX-License-Identifier: MIT
// Which photos of a library a command line means, and something done with each of them.

import CommandTable
import Glibc
import PhotoLibrary

/// A photo, or a range of numbers that photos may have.
enum PhotoChoice: Hashable, Sendable {
    case one(PhotoID)
    case range(ClosedRange<Int64>)

    /// What `812`, `3-9` or `3-` says; nil for anything else.
    init?(_ text: String) {
        guard let dash = text.firstIndex(of: "-") else {
            guard let id = PhotoID(text) else { return nil }
            self = .one(id)
            return
        }
        let (low, high) = (PhotoID(text[..<dash]), text[text.index(after: dash)...])
        guard let low, let last = high.isEmpty ? .max : PhotoID(high)?.number, last >= low.number else { return nil }
        self = .range(low.number...last)
    }

    /// As it was written.
    var words: String {
        switch self {
        case .one(let id): "\(id)"
        case .range(let numbers): "\(numbers.lowerBound)-" + (numbers.upperBound == .max ? "" : "\(numbers.upperBound)")
        }
    }
}

/// The photos of a command line.
struct LibraryPhotos {
    private static let kind = ValueKind<PhotoChoice>(
        "ID", expects: "a photo's number, or a range such as 3-9 or 3-", parse: { PhotoChoice($0) })
    /// Photos that have to be named.
    static let needed = Positional(
        kind, repeatable: true,
        help: "Photos by their numbers in 'livecap library list', or ranges: 3-9, or 3- for the rest")
    /// Photos that may be named.
    static let optional = Positional(
        kind, required: false, repeatable: true,
        help: "Photos by their numbers in 'livecap library list', or ranges: 3-9, or 3- for the rest")
    static let all = Flag("all", help: "All photos of the library, the oldest first")
    static let date = Option(
        "date",
        ValueKind<CalendarDays>(
            "DAYS", expects: "a date such as 2026-11-22, or 2026-11-20..2026-11-22", parse: { CalendarDays($0) }),
        help: "The photos of a day, 2026-11-22, or of several: 2026-11-20..2026-11-22, of which one end may be open")

    let library: PhotoLibrary
    private let arguments: Arguments

    /// Opens the library.
    init(_ arguments: Arguments) throws(Failure) {
        library = try LibraryPlace.open(arguments)
        self.arguments = arguments
    }

    /// What was named one by one.
    private var choices: [PhotoChoice] { arguments.all(Self.needed) }

    /// Whether any photo was named.
    var isNamed: Bool { !choices.isEmpty }

    /// The photos named, each once: an error where none are, or where a range or a day has none. A number may be that of no
    /// photo, which shows when something is to be done with it.
    func named() throws(Failure) -> [PhotoID] {
        let days = arguments[Self.date]
        guard isNamed || arguments[Self.all] || days != nil else {
            throw .usage(
                UsageError(
                    "no photos are named", hint: "for example '812' or '3-9'; 'livecap library list' has the numbers"))
        }
        guard !isNamed || !(arguments[Self.all] || days != nil) else {
            throw .usage(UsageError("photos are named in two ways", hint: "leave out the numbers, or the option"))
        }
        if !isNamed {
            let found = try consulting { () throws(LibraryError) in
                try library.photos(LibraryPage(limit: .max, days: days, order: .oldest)).map(\.id)
            }
            guard !found.isEmpty else { throw .noPhotos(days == nil ? "in the library" : "of those days") }
            return found
        }
        var (seen, ids): (Set<PhotoID>, [PhotoID]) = ([], [])
        for choice in choices {
            var found: [PhotoID]
            switch choice {
            case .one(let id): found = [id]
            case .range(let numbers):
                found = try consulting { () throws(LibraryError) in try library.photoIDs(in: numbers) }
                guard !found.isEmpty else { throw .noPhotos("with numbers \(choice.words)") }
            }
            ids += found.filter { seen.insert($0).inserted }
        }
        return ids
    }

    /// Does something with each photo. One that fails is reported and keeps none of the others; the exit status is that of the
    /// first failure. What concerns more than one photo ends it.
    func each(
        _ ids: [PhotoID], _ console: inout Console, _ body: (PhotoID, inout Console) throws(Failure) -> Void
    ) throws(Failure) -> Int32 {
        var status: Int32 = 0
        var hints: Set<String> = []
        for id in ids {
            do throws(Failure) {
                try body(id, &console)
            } catch .library(let error) where error.isOfOnePhoto {
                let failure = Failure.library(error)
                try console.flush()
                console.report(failure, photo: ids.count > 1 ? id : nil, isHinting: hints.insert(failure.hint).inserted)
                if status == 0 { status = failure.exitStatus }
            }
        }
        return status
    }
}

extension Failure {
    /// A range or a day that has no photos.
    fileprivate static func noPhotos(_ which: String) -> Failure { .library(.noPhotos(which)) }
}

extension LibraryError {
    /// Whether other photos may fare better.
    fileprivate var isOfOnePhoto: Bool {
        switch self {
        case .noSuchPhoto, .beingFinished, .unfinishable, .missing, .damaged, .alreadyThere, .notCreatable, .unsafePath:
            true
        case .fileError(_, _, let errno): ![ENOSPC, EDQUOT, EROFS].contains(errno)
        default: false
        }
    }
}
