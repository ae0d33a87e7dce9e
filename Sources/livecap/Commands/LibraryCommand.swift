// SPDX-License-Identifier: MIT
// `livecap library`: the photos of a library, and the actions on them.

import LiveCapture
import LivecapCommandTable
import LivecapFiles
import LivecapFrameFiles
import LivecapFrames
import LivecapPhotoStorage

enum LibraryCommand {
    static let verb = Verb(
        "library", summary: "list, show, rate, finish, export, verify and remove photos",
        discussion: """
            A library is a folder of plain files with a catalogue. A deferred photo is a proxy, a quick still of the same \
            moment, until its final has been made from the source frames kept for it.

            Photos are selected by number (812) or range: 3-9, or 3- for all from 3 on. Each photo is processed \
            separately: a failure is reported, the others continue, and the exit status is that of the first failure.
            """,
        actions: [list, show, rate, finish, export, mask, verify, remove, restore, empty, clean],
        examples: [
            Example("livecap library list", "the newest photos"),
            Example("livecap library show 812", "everything known about a photo"),
            Example("livecap library finish", "make all missing finals"),
            Example("livecap library export 3-9 -o pictures/", "copies, named after their moments"),
        ])

    private static let limit = Option(
        "limit", short: "n", .integer(1...Int.max), help: "List up to N photos (default: 50)")
    private static let after = Option(
        "after", ValueKind<PhotoID>("ID", expects: "a photo's number", parse: { PhotoID($0) }),
        help: "List the photos after this one, the last of the previous page")
    private static let unfinished = Flag("unfinished", help: "List only photos without their finals")
    private static let sort = Option(
        "sort",
        ValueKind<String>.choice("ORDER", of: LibraryOrder.allCases.map(\.rawValue))
            .map { LibraryOrder(rawValue: $0)! },
        help:
            "What comes first: the newest or oldest moment, size for the largest file, or kept for the most bytes of kept "
            + "source frames (default: newest)")
    private static let output = Option(
        "output", short: "o", .file("FILE|DIR"),
        help:
            "The copy's file, or a directory, where it is named by date and time (default: the current directory). In a name "
            + "and its folders, conversions of strftime, as in %Y/%m/%d-%H%M%S.jpg, are the photo's moment, and %03d is the "
            + "next free number; %% is a percent sign")
    private static let overwrite = Flag("overwrite", help: "Replace an existing file")
    private static let size = ValueKind<FrameSize>(
        "SIZE", expects: "a size from 1x1 to 65535x65535 such as 640x480, or hd720, hd1080 ..."
    ) { FrameSize($0) ?? CapturePreset(rawValue: $0.lowercased())?.size }
    private static let fit = Option(
        "fit", size, help: "Make an upright JPEG picture that SIZE holds, instead of a copy; photos are not enlarged")
    private static let fill = Option(
        "fill", size, help: "The same, but with the shape of SIZE: what does not fit is cut off on two sides")
    private static let gallery = Option(
        "gallery", .file("DIR"),
        help:
            "Make DIR a gallery: a page, index.html, that shows all photos, or those selected, without a server; a gallery "
            + "that is there gets what it lacks")
    private static let age = Option(
        "age", ValueKind<Int64>.nanoseconds().map(Duration.nanoseconds),
        help: "Remove frames whose last photo was added longer ago than this (default: 168h, one week)")
    private static let budget = Option(
        "budget", .bytes(orNone: true),
        help: "Remove the oldest frames until the rest take no more than this; 0 keeps none (default: 2G)")
    private static let trashAge = Option(
        "trash-age", ValueKind<Int64>.nanoseconds().map(Duration.nanoseconds),
        help: "Remove photos for good that have been in the trash for longer than this (default: 720h, 30 days)")
    static let json = Flag("json", help: "Print one JSON object per photo, problem or result")
    static let library = OptionGroup("Library", [LibraryPlace.option])
    static let options = OptionGroup("Options", [json])

    private static let group = Option(
        "group",
        ValueKind("ID", expects: "the id of a group, such as 'livecap library show' names") {
            PhotoGroup.isID($0) ? $0 : nil
        },
        help: "List only the photos that several cameras took at this tap")

    private static let list = Verb(
        command: Command(
            "library list", summary: "list photos by moment, the newest first",
            discussion: """
                Each line shows the photo's number, its moment in local time, its size, quality, bytes, kept source frames, \
                state, stars, group and file. A group is of photos that several cameras took at one tap. Photos are \
                listed by the moments they show, not by the order they were added in. Frames that photos share are stored \
                once, and shown with each of them.
                """,
            groups: [
                library,
                OptionGroup("List", [limit, after, unfinished, LibraryPhotos.date, minimumStars, group, sort, trash]),
                options,
            ],
            examples: [
                Example("livecap library list --date 2026-11-22", "the photos of a day"),
                Example("livecap library list --date 2026-11-01.. --sort size -n 10", "the ten largest since then"),
                Example("livecap library list --stars 4 --date 2026-11", "the best of a month"),
                Example(
                    "livecap library list --after 812 --limit 100 --json", "the page after photo 812, for programs"),
            ])
    ) { arguments, console throws(Failure) in
        var page = LibraryPage(
            limit: arguments[limit] ?? 50, after: arguments[after], unfinishedOnly: arguments[unfinished],
            days: arguments[LibraryPhotos.date], order: arguments[sort] ?? .newest)
        page.minimumRating = arguments[minimumStars]
        page.trashOnly = arguments[trash]
        page.group = arguments[group]
        if page.after != nil, !page.order.isByMoment {
            throw .usage(
                UsageError(
                    "--after: no next page when sorting by \(page.order.rawValue)",
                    hint: "raise --limit, or sort by newest or oldest"))
        }
        try LibraryListing(try LibraryPlace.open(arguments), at: LibraryPlace.path(arguments)).list(page, &console)
        return 0
    }

    private static let show = Verb(
        command: Command(
            "library show", summary: "show everything known about photos", positionals: [LibraryPhotos.needed],
            groups: [library, options],
            examples: [
                Example("livecap library show 812", "a photo and its source frames"),
                Example("livecap library show 3-9 --json", "several, with requests and provenance"),
            ])
    ) { arguments, console throws(Failure) in
        let photos = try LibraryPhotos(arguments)
        let listing = LibraryListing(photos.library, at: LibraryPlace.path(arguments))
        return try photos.each(photos.named(), &console) { id, console throws(Failure) in
            try listing.show(id, &console)
        }
    }

    private static let finish = Verb(
        command: Command(
            "library finish", summary: "make the finals of deferred photos",
            discussion: """
                Finishes all deferred photos, oldest first, or those selected, including any that failed before. It runs at \
                the lowest priority. A photo whose final is interrupted stays deferred. Afterwards, source frames that \
                finished photos no longer need are removed, as by 'livecap library clean'.
                """,
            positionals: [LibraryPhotos.optional],
            groups: [library, OptionGroup("Clean", [age, budget, trashAge]), options],
            examples: [
                Example("livecap library finish", "all deferred photos"),
                Example("livecap library finish 812 --json", "one photo, reported for programs"),
            ])
    ) { arguments, console throws(Failure) in
        try LibraryFinish(try LibraryPhotos(arguments), policy(arguments)).run(&console)
    }

    private static let export = Verb(
        command: Command(
            "library export", summary: "copy photos out of the library",
            discussion: """
                For a deferred photo, its current proxy is copied, with a note; a gallery replaces it by the final the next \
                time.
                """,
            positionals: [LibraryPhotos.optional],
            groups: [
                library, OptionGroup("Photos", [LibraryPhotos.all, LibraryPhotos.date]),
                OptionGroup("Export", [output, overwrite, fit, fill, gallery]), options,
            ],
            exclusive: [
                [LibraryPhotos.all, LibraryPhotos.date], [output, gallery], [overwrite, gallery], [fit, fill, gallery],
            ],
            examples: [
                Example("livecap library export 812 -o best.jpg", "one copy"),
                Example("livecap library export --all -o pictures/", "every photo, named after its moment"),
                Example("livecap library export --date 2026-11-22 -o day/", "the photos of a day"),
                Example("livecap library export --all -o pictures/%Y/%m/%d-%H%M%S.jpg", "in a folder for each month"),
                Example("livecap library export 3-9 --fit 1280x1280 -o mail/", "small pictures, to send"),
                Example("livecap library export --gallery album/", "a folder to publish, or to open by a double click"),
            ])
    ) { arguments, console throws(Failure) in
        if let folder = arguments[gallery] {
            let interruption = try Interruption()
            return try LibraryGallery(try LibraryPhotos(arguments), to: folder).run(interruption, &console)
        }
        let photos = try LibraryPhotos(arguments)
        let ids = try photos.named(orUse: LibraryPhotos.all)
        let path = try place(of: ids.count, arguments)
        let upkeep = LibraryUpkeep(photos.library)
        let picture =
            arguments[fit].map { ImageSettings(size: $0, mode: .fit) }
            ?? arguments[fill].map { ImageSettings(size: $0, mode: .fill) }
        return try photos.each(ids, &console) { id, console throws(Failure) in
            try upkeep.export(id, to: path, overwrite: arguments[overwrite], as: picture, &console)
        }
    }

    private static let mask = Verb(
        command: Command(
            "library mask", summary: "copy masks out of the library: where people are in photos",
            discussion: """
                A mask is a small grey PNG, white where people are. Photos have one if their effects need to know: \
                portrait, background or light. It belongs to the photo's current picture, and is turned as the pixels of \
                its file are.
                """,
            positionals: [LibraryPhotos.needed], groups: [library, OptionGroup("Copy", [output, overwrite]), options],
            examples: [
                Example("livecap library mask 812 -o mask.png", "one mask"),
                Example("livecap library mask 3-9 -o masks/", "several, named after their photos' moments"),
            ])
    ) { arguments, console throws(Failure) in
        let photos = try LibraryPhotos(arguments)
        let ids = try photos.named()
        let path = try place(of: ids.count, arguments)
        let upkeep = LibraryUpkeep(photos.library)
        return try photos.each(ids, &console) { id, console throws(Failure) in
            try upkeep.exportMask(of: id, to: path, overwrite: arguments[overwrite], &console)
        }
    }

    /// Where copies of so many photos go.
    private static func place(of count: Int, _ arguments: Arguments) throws(Failure) -> String {
        let path = arguments[output] ?? "."
        let isPattern = try attempt { () throws(FileError) in try NamePattern.isOne(path) }
        guard count == 1 || path.hasSuffix("/") || isDirectory(path) || isPattern else {
            throw .usage(
                UsageError(
                    "\(path): \(count) photos do not fit in one file",
                    hint: "name a directory with -o, ending in /, or use %03d"))
        }
        return path
    }

    private static let verify = Verb(
        command: Command(
            "library verify", summary: "check that everything is present and unchanged",
            discussion: """
                Every photo, every mask and every kept frame is read and compared with its checksum. The exit status \
                is 65 if something is missing or has changed. Files that no photo refers to are listed, but are not an \
                error.
                """, groups: [library, options],
            examples: [Example("livecap library verify", "check the default library")])
    ) { arguments, console throws(Failure) in
        try LibraryUpkeep(try LibraryPlace.open(arguments)).verify(&console)
    }

    private static let clean = Verb(
        command: Command(
            "library clean", summary: "remove source frames that no deferred photo needs, and old trash",
            discussion: """
                Source frames of finished photos are kept so that 'livecap develop' can make the photos again. This removes \
                those that exceed the age or the budget, a whole file at a time, and never frames that a deferred photo \
                still needs. 'livecap library finish' does the same at its end, and 'livecap run' when idle. Photos \
                that have been in the trash for --trash-age are removed first, with their frames.
                """, groups: [library, OptionGroup("Clean", [age, budget, trashAge]), options],
            examples: [
                Example("livecap library clean --budget 500M", "keep at most that much"),
                Example("livecap library clean --budget 0", "remove every frame that is not needed"),
            ])
    ) { arguments, console throws(Failure) in
        try LibraryUpkeep(try LibraryPlace.open(arguments)).clean(policy(arguments), &console)
        return 0
    }

    private static func policy(_ arguments: Arguments) -> CleanUpPolicy {
        var policy = CleanUpPolicy()
        if let age = arguments[age] { policy.age = age }
        if let budget = arguments[budget] { policy.budget = budget }
        if let trashAge = arguments[trashAge] { policy.trashAge = trashAge }
        return policy
    }
}
