// SPDX-License-Identifier: MIT
// `livecap library`: the photos of a library, and the actions on them.

import CommandTable
import Frames
import PhotoLibrary

enum LibraryCommand {
    static let verb = Verb(
        "library", summary: "list, show, finish, export, verify and remove the photos of a library",
        discussion: """
            A library is a folder of plain files with a catalogue. A deferred photo is a proxy, a quick still of the same \
            moment, until its final has been made from the source frames kept for it.

            Photos are named by their numbers (812), or by ranges of them: 3-9, or 3- for all from 3 on. Each photo is \
            handled on its own: one that fails is reported, the others are done, and the exit status is that of the \
            first failure.
            """,
        actions: [list, show, finish, export, verify, remove, clean],
        examples: [
            Example("livecap library list", "the newest photos"),
            Example("livecap library show 812", "all that is known of a photo"),
            Example("livecap library finish", "make the finals that are still to be made"),
            Example("livecap library export 3-9 -o pictures/", "copies, named after their moments"),
        ])

    private static let limit = Option("limit", short: "n", .integer(1...Int.max), help: "List up to N (default: 50)")
    private static let after = Option(
        "after", ValueKind<PhotoID>("ID", expects: "a photo's number", parse: { PhotoID($0) }),
        help: "List those after this one: the last of the previous page")
    private static let unfinished = Flag("unfinished", help: "List only those whose finals are still to be made")
    private static let sort = Option(
        "sort",
        ValueKind<String>.choice("ORDER", of: LibraryOrder.allCases.map(\.rawValue))
            .map { LibraryOrder(rawValue: $0)! },
        help:
            "What comes first: newest or oldest by moment, size for the largest file, kept for the most bytes of kept "
            + "source frames (default: newest)")
    private static let output = Option(
        "output", short: "o", .file("FILE|DIR"),
        help: "Where the copy goes; in a directory it is named after its date and time (default: the current one)")
    private static let overwrite = Flag("overwrite", help: "Replace a file that is there already")
    private static let yes = Flag("yes", short: "y", help: "Remove without asking")
    private static let age = Option(
        "age", ValueKind<Int64>.nanoseconds().map(TimeSpan.init(nanoseconds:)),
        help: "Remove frames whose last photo was added longer ago than this (default: 168h, a week)")
    private static let budget = Option(
        "budget", .bytes(orNone: true),
        help: "Remove the oldest frames until all of them take no more than this; 0 leaves none (default: 2G)")
    private static let json = Flag("json", help: "Print one JSON object per photo, problem or result")
    private static let library = OptionGroup("Library", [LibraryPlace.option])
    private static let options = OptionGroup("Options", [json])

    private static let list = Verb(
        command: Command(
            "library list", summary: "list photos by moment, the newest first",
            discussion: """
                Each line has the photo's number, its moment by the clocks of its place, size, quality, the file's bytes, the \
                source frames kept for it, how far it has come, and its file. Photos are listed by the moments they show, \
                whatever order they were added in. Frames that photos share are stored once, and shown with each of them.
                """,
            groups: [library, OptionGroup("List", [limit, after, unfinished, LibraryPhotos.date, sort]), options],
            examples: [
                Example("livecap library list --date 2026-11-22", "the photos of a day"),
                Example("livecap library list --date 2026-11-01.. --sort size -n 10", "the ten largest since then"),
                Example("livecap library list --after 812 --limit 100 --json", "a page further back, for programs"),
            ])
    ) { arguments, console throws(Failure) in
        let page = LibraryPage(
            limit: arguments[limit] ?? 50, after: arguments[after], unfinishedOnly: arguments[unfinished],
            days: arguments[LibraryPhotos.date], order: arguments[sort] ?? .newest)
        if page.after != nil, !page.order.isByMoment {
            throw .usage(
                UsageError(
                    "--after: photos sorted by \(page.order.rawValue) have no next page",
                    hint: "raise --limit, or sort by newest or oldest"))
        }
        try LibraryListing(try LibraryPlace.open(arguments)).list(page, &console)
        return 0
    }

    private static let show = Verb(
        command: Command(
            "library show", summary: "show all that is known of photos", positionals: [LibraryPhotos.needed],
            groups: [library, options],
            examples: [
                Example("livecap library show 812", "a photo and its source frames"),
                Example("livecap library show 3-9 --json", "several, with requests and provenance"),
            ])
    ) { arguments, console throws(Failure) in
        let photos = try LibraryPhotos(arguments)
        let listing = LibraryListing(photos.library)
        return try photos.each(photos.named(), &console) { id, console throws(Failure) in
            try listing.show(id, &console)
        }
    }

    private static let finish = Verb(
        command: Command(
            "library finish", summary: "make the finals of deferred photos",
            discussion: """
                All deferred photos are finished, the oldest first, or those named, including ones that failed before. It \
                gives way to everything else. A photo whose final is interrupted stays deferred. Afterwards source frames \
                that finished photos no longer need are removed, as 'livecap library clean' does.
                """,
            positionals: [LibraryPhotos.optional], groups: [library, OptionGroup("Clean", [age, budget]), options],
            examples: [
                Example("livecap library finish", "everything that is left to do"),
                Example("livecap library finish 812 --json", "one photo, reported for programs"),
            ])
    ) { arguments, console throws(Failure) in
        try LibraryFinish(try LibraryPhotos(arguments), policy(arguments)).run(&console)
    }

    private static let export = Verb(
        command: Command(
            "library export", summary: "copy photos out of the library",
            discussion: "A deferred photo is copied as it is now: its proxy, which is said.",
            positionals: [LibraryPhotos.optional],
            groups: [
                library, OptionGroup("Photos", [LibraryPhotos.all, LibraryPhotos.date]),
                OptionGroup("Export", [output, overwrite]), options,
            ], exclusive: [[LibraryPhotos.all, LibraryPhotos.date]],
            examples: [
                Example("livecap library export 812 -o best.jpg", "one copy"),
                Example("livecap library export --all -o pictures/", "every photo, named after its moment"),
                Example("livecap library export --date 2026-11-22 -o day/", "the photos of a day"),
            ])
    ) { arguments, console throws(Failure) in
        let photos = try LibraryPhotos(arguments)
        let ids = try photos.named()
        let path = arguments[output] ?? "."
        if ids.count > 1, !(path.hasSuffix("/") || isDirectory(path)) {
            throw .usage(
                UsageError(
                    "\(path): \(ids.count) photos do not go into one file",
                    hint: "name a directory with -o, ending in /"))
        }
        let upkeep = LibraryUpkeep(photos.library)
        return try photos.each(ids, &console) { id, console throws(Failure) in
            try upkeep.export(id, to: path, overwrite: arguments[overwrite], &console)
        }
    }

    private static let verify = Verb(
        command: Command(
            "library verify", summary: "check that everything is there, and is what it was",
            discussion: """
                Every photo and every kept frame is read and compared with its checksum. The exit status is 65 where \
                something is missing or is not what it was. Files that no photo refers to are listed, and are no fault.
                """, groups: [library, options],
            examples: [Example("livecap library verify", "whether everything is there, and is what it was")])
    ) { arguments, console throws(Failure) in
        try LibraryUpkeep(try LibraryPlace.open(arguments)).verify(&console)
    }

    private static let remove = Verb(
        command: Command(
            "library remove", summary: "remove photos, and the frames kept for them alone, for good",
            discussion: """
                On a terminal it asks first. Without one, in scripts and pipes, it does not: what is named is removed.
                """,
            positionals: [LibraryPhotos.optional],
            groups: [library, OptionGroup("Photos", [LibraryPhotos.date]), OptionGroup("Options", [yes, json])],
            examples: [
                Example("livecap library remove 812", "one photo, after asking"),
                Example("livecap library remove --yes 3-9", "several, without asking"),
            ])
    ) { arguments, console throws(Failure) in
        let photos = try LibraryPhotos(arguments)
        let ids = try photos.named()
        let upkeep = LibraryUpkeep(photos.library)
        guard arguments[yes] || upkeep.mayRemove(ids) else {
            Console.note("nothing was removed")
            return 0
        }
        return try photos.each(ids, &console) { id, console throws(Failure) in try upkeep.remove(id, &console) }
    }

    private static let clean = Verb(
        command: Command(
            "library clean", summary: "remove source frames that no photo needs to be finished",
            discussion: """
                Source frames of finished photos are kept so that 'livecap develop' can make them again. This removes those \
                that are too old or too many, in whole files, and never those that a photo still needs to be finished. \
                'livecap library finish' does the same when it is done, and 'livecap run' in quiet moments.
                """, groups: [library, OptionGroup("Clean", [age, budget]), options],
            examples: [
                Example("livecap library clean --budget 500M", "keep at most that much"),
                Example("livecap library clean --budget 0", "remove all that may go"),
            ])
    ) { arguments, console throws(Failure) in
        try LibraryUpkeep(try LibraryPlace.open(arguments)).clean(policy(arguments), &console)
        return 0
    }

    private static func policy(_ arguments: Arguments) -> CleanUpPolicy {
        var policy = CleanUpPolicy()
        if let age = arguments[age] { policy.age = age }
        if let budget = arguments[budget] { policy.budget = budget }
        return policy
    }
}
