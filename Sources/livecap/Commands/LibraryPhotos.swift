// SPDX-License-Identifier: MIT
// The photos that a command line selects, and a loop over them.

import Glibc
import LivecapCommandTable
import LivecapFiles
import LivecapPhotoStorage

/// A photo, or a range of photo numbers.
enum PhotoChoice: Hashable, Sendable {
    case one(PhotoID)
    case range(ClosedRange<PhotoID>)

    /// Parses `812`, `3-9` or `3-`; nil for any other text.
    init?(_ text: String) {
        guard let dash = text.firstIndex(of: "-") else {
            guard let id = PhotoID(text) else { return nil }
            self = .one(id)
            return
        }
        let (low, high) = (PhotoID(text[..<dash]), text[text.index(after: dash)...])
        guard let low, let last = high.isEmpty ? .last : PhotoID(high), last >= low else { return nil }
        self = .range(low...last)
    }

    /// The choice as it was written.
    var words: String {
        switch self {
        case .one(let id): "\(id)"
        case .range(let numbers):
            "\(numbers.lowerBound)-" + (numbers.upperBound == .last ? "" : "\(numbers.upperBound)")
        }
    }
}

extension PhotoID {
    /// No photo has a larger number.
    fileprivate static let last = PhotoID(number: .max)
}

/// The photos selected by a command line.
struct LibraryPhotos {
    private static let kind = ValueKind<PhotoChoice>(
        "ID", expects: "a photo's number, or a range such as 3-9 or 3-", parse: { PhotoChoice($0) })
    /// Photos that must be named.
    static let needed = Positional(
        kind, repeatable: true,
        help: "Photos by number, as listed by 'livecap library list', or ranges: 3-9, or 3- for the rest")
    /// Photos that may be named.
    static let optional = Positional(
        kind, required: false, repeatable: true,
        help: "Photos by number, as listed by 'livecap library list', or ranges: 3-9, or 3- for the rest")
    static let all = Flag("all", help: "All photos of the library, oldest first")
    static let date = Option(
        "date",
        ValueKind<CalendarDays>(
            "DAYS",
            expects: "a date such as 2026-11-22, 2026-11, 2026, today or yesterday, or two of them: 2026-11..today",
            parse: { CalendarDays($0) }),
        help:
            "The photos of a day, 2026-11-22, today or yesterday, a month, 2026-11, or a year, 2026; or of a range, "
            + "2026-11-20..2026-11-22, which may be open at one end")

    let library: PhotoLibrary
    private let arguments: Arguments

    /// Opens the library.
    init(_ arguments: Arguments) throws(Failure) {
        library = try LibraryPlace.open(arguments)
        self.arguments = arguments
    }

    /// The photos and ranges named on the command line.
    private var choices: [PhotoChoice] { arguments.all(Self.needed) }

    /// Whether any photo was named.
    var isNamed: Bool { !choices.isEmpty }

    /// The photos selected, each once. Throws if there are none, or if a range or a day has none. A number may belong
    /// to no photo, which shows when the photo is used. With `orAll`, a command line that selects none means all.
    /// Ranges are of photos that are not in the trash, or with `ofTrash` of those that are.
    func named(
        orAll: Bool = false, orUse flag: Flag? = nil, ofTrash: Bool = false
    ) throws(Failure) -> [PhotoID] {
        let days = arguments[Self.date]
        guard isNamed || arguments[Self.all] || days != nil || orAll else {
            throw .usage(
                UsageError("no photos selected", hint: Self.howToSelect(flag)))
        }
        guard !isNamed || !(arguments[Self.all] || days != nil) else {
            throw .usage(UsageError("photos are selected in two ways", hint: "leave out the numbers, or the option"))
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
                found = try consulting { () throws(LibraryError) in try library.photoIDs(in: numbers, ofTrash: ofTrash)
                }
                let place = ofTrash ? "in the trash " : ""
                guard !found.isEmpty else { throw .noPhotos("\(place)with numbers \(choice.words)") }
            }
            ids += found.filter { seen.insert($0).inserted }
        }
        return ids
    }

    /// What to add to a command line that selects no photos. `flag` selects all of them, where that is an option.
    static func howToSelect(_ flag: Flag? = nil) -> String {
        let all = flag.map { ", or --\($0.declaration.name)" } ?? ""
        return "add numbers such as 812 or 3-9\(all); 'livecap library list' shows them"
    }

    /// Calls `body` for each photo. A photo that fails is reported and does not prevent the others; the exit status is
    /// that of the first failure. An error that concerns more than one photo ends the loop.
    func each(
        _ ids: [PhotoID], _ console: inout Console, _ body: (PhotoID, inout Console) throws(Failure) -> Void
    ) throws(Failure) -> Int32 {
        var status: Int32 = 0
        var hints: Set<String> = []
        for id in ids {
            do throws(Failure) {
                try body(id, &console)
            } catch {
                let failure = error
                guard failure.isOfOnePhoto else { throw failure }
                try console.flush()
                console.report(failure, photo: ids.count > 1 ? id : nil, isHinting: hints.insert(failure.hint).inserted)
                if status == 0 { status = failure.exitStatus }
            }
        }
        return status
    }
}

extension Failure {
    /// Whether it concerns one photo, and others may be fine.
    fileprivate var isOfOnePhoto: Bool {
        switch self {
        case .library(let error): error.isOfOnePhoto
        case .photo(.notDecoded, _): true
        default: false
        }
    }

    /// A range or a day without photos.
    fileprivate static func noPhotos(_ which: String) -> Failure { .library(.noPhotos(which)) }
}

extension LibraryError {
    /// Whether the error concerns this photo only.
    fileprivate var isOfOnePhoto: Bool {
        switch self {
        case .noSuchPhoto, .beingFinished, .unfinishable, .noMask, .missing, .damaged, .remakeable, .alreadyThere,
            .notCreatable, .unsafePath:
            true
        case .fileError(_, _, let errno): ![ENOSPC, EDQUOT, EROFS].contains(errno)
        default: false
        }
    }
}
