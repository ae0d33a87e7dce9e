// SPDX-License-Identifier: MIT
// `livecap library`: the photos of a library, and what can be done with them.

import CommandTable
import Frames
import JSONText
import PhotoLibrary

enum LibraryCommand {
    /// What to do.
    enum Action: String, CaseIterable {
        case list, show, finish, export, verify, remove, clean
    }

    private static let action = Positional(
        ValueKind<String>.choice("ACTION", of: Action.allCases.map(\.rawValue)).map { Action(rawValue: $0)! },
        help: """
            list the photos, the newest first; show one, and how it was made; finish those that were left for later; export one as it is now; verify every \
            checksum; remove photos for good; clean up source frames that no photo needs any more
            """)
    private static let id = Positional(
        ValueKind<PhotoID>("ID", expects: "a photo's number, as 'livecap library list' has it", parse: { PhotoID($0) }),
        required: false, repeatable: true, help: "Photos, by the numbers that 'list' has")
    private static let limit = Option("limit", short: "n", .integer(1...Int.max), help: "List so many; 50 if left out")
    private static let after = Option(
        "after", ValueKind<PhotoID>("ID", expects: "a photo's number", parse: { PhotoID($0) }),
        help: "List those behind this one: the last of the page before")
    private static let unfinished = Flag("unfinished", help: "List only those whose finals are still to be made")
    private static let output = Option(
        "output", short: "o", .file("FILE|DIR"),
        help:
            "Where an exported photo goes; into a directory under its date and time, and into the current one if left out"
    )
    private static let overwrite = Flag("overwrite", help: "Replace a file that is there already")
    private static let age = Option(
        "age", ValueKind<Int64>.nanoseconds().map(TimeSpan.init(nanoseconds:)),
        help: "Clean up frames whose last photo was added longer ago than that; 168h, a week, if left out")
    private static let budget = Option(
        "budget", .bytes(), help: "Clean up the oldest frames until all of them have so many bytes; 2G if left out")
    private static let json = Flag("json", help: "Print an object a photo, a problem or a result")

    static let verb = Verb(
        command: Command(
            "library", summary: "list, show, export, verify and remove the photos of a library",
            discussion: """
                A library is a folder of plain files with a catalogue. A photo that was deferred is its proxy, a quick \
                still of the same moment, until its final has been made of the source frames kept for it.

                'finish' makes the finals, the oldest first, or those named: also one that failed before. It gives way to \
                everything else; what ends it in between leaves the photo it was at to be finished.

                'verify' reads everything and ends with status 65 where something is missing or is not what it was. \
                Files that nobody speaks of are listed, and are no fault.

                'clean' removes source frames that are only kept to develop photos again, never those a photo needs to \
                be finished. 'finish' does so, too, when it is done, and 'livecap run' in quiet moments.

                'export' copies the photo as it is now: while it is deferred, its proxy, which is said.
                """,
            positionals: [action, id],
            groups: [
                OptionGroup("Library", [LibraryPlace.option]),
                OptionGroup("List", [limit, after, unfinished]),
                OptionGroup("Export", [output, overwrite]),
                OptionGroup("Clean and finish", [age, budget]),
                OptionGroup("Options", [json]),
            ],
            examples: [
                Example("livecap library list", "the newest photos"),
                Example("livecap library list --after 812 --limit 100 --json", "a page further back, for programs"),
                Example("livecap library show 812", "all that is known of a photo"),
                Example("livecap library finish", "make the finals that are still to be made"),
                Example("livecap library export 812 -o pictures/", "a copy, named after its moment"),
                Example("livecap library verify", "whether everything is there, and is what it was"),
            ])
    ) { arguments, console throws(Failure) in
        let action = arguments.required(action)
        let ids = arguments.all(id)
        try check(action, ids, arguments)
        let library = try LibraryPlace.open(arguments)
        switch action {
        case .list:
            let page = LibraryPage(
                limit: arguments[limit] ?? 50, after: arguments[after], unfinishedOnly: arguments[unfinished])
            try LibraryListing(library).list(page, &console)
        case .show:
            for id in ids { try LibraryListing(library).show(id, &console) }
        case .finish: return try LibraryFinish(library, policy(arguments)).run(ids, &console)
        case .export:
            for id in ids {
                try LibraryUpkeep(library).export(
                    id, to: arguments[output] ?? ".", overwrite: arguments[overwrite], &console)
            }
        case .verify: return try LibraryUpkeep(library).verify(&console)
        case .remove:
            for id in ids { try LibraryUpkeep(library).remove(id, &console) }
        case .clean:
            try LibraryUpkeep(library).clean(policy(arguments), &console)
        }
        return 0
    }

    private static func policy(_ arguments: Arguments) -> CleanUpPolicy {
        var policy = CleanUpPolicy()
        if let age = arguments[age] { policy.age = age }
        if let budget = arguments[budget] { policy.budget = budget }
        return policy
    }

    /// What goes with one action and not with another.
    private static func check(_ action: Action, _ ids: [PhotoID], _ arguments: Arguments) throws(Failure) {
        let owned: [(by: [Action], options: [any Declared])] = [
            ([.list], [limit, after, unfinished]), ([.export], [output, overwrite]),
            ([.clean, .finish], [age, budget]),
        ]
        for (owners, options) in owned where !owners.contains(action) {
            guard let strange = options.first(where: { arguments.contains($0) }) else { continue }
            throw .usage(
                UsageError(
                    "'library \(action.rawValue)' has no --\(strange.declaration.name)",
                    hint: "leave it out; it goes with 'library \(owners[0].rawValue)'"))
        }
        let takesPhotos = [.show, .export, .remove].contains(action)
        if takesPhotos, ids.isEmpty {
            throw .usage(
                UsageError(
                    "'library \(action.rawValue)' needs ID",
                    hint: "for example 'livecap library \(action.rawValue) 812'; 'livecap library list' has the numbers"
                ))
        }
        if !takesPhotos, action != .finish, let id = ids.first {
            throw .usage(
                UsageError(
                    "'library \(action.rawValue)' takes no photo \(id)", hint: "leave it out; 'show' is about one photo"
                ))
        }
        if let path = arguments[output], ids.count > 1, !isFolder(path) {
            throw .usage(
                UsageError("\(ids.count) photos do not go into one file", hint: "name a directory with -o, ending in /")
            )
        }
    }

    private static func isFolder(_ path: String) -> Bool { path.hasSuffix("/") || path == "." || isDirectory(path) }
}
