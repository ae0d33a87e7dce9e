// SPDX-License-Identifier: MIT
// `livecap library remove`, `restore`, `empty` and `rate`: the trash of a library, and what people think of photos.

import LiveCapture
import LivecapCommandTable
import LivecapFrames
import LivecapIntents
import LivecapPhotoStorage

extension LibraryCommand {
    private static let yes = Flag("yes", short: "y", help: "Remove without confirmation")
    private static let forGood = Flag(
        "for-good", help: "Remove the photos at once instead of moving them to the trash, or remove them from there")
    private static let stars = Option(
        "stars", .integer(PhotoLibrary.ratings), required: true, help: "The rating, from 1 to 5; 0 takes it away")
    /// For lists.
    static let minimumStars = Option(
        "stars", .integer(1...PhotoLibrary.ratings.upperBound), help: "List only photos with at least N stars")
    static let trash = Flag("trash", help: "List the photos in the trash instead of those that are not there")

    static let remove = Verb(
        command: Command(
            "library remove", summary: "move photos to the trash, or remove them for good",
            discussion: """
                Photos in the trash are no longer listed, exported by --all or --date, or finished. They keep their \
                files, so their disk space, for 30 days: then 'livecap library clean' removes them, and so do 'finish' \
                and a session with the library in its quiet moments. Until then, 'livecap library restore' \
                brings them back, and by their numbers they can be shown and exported. Their source frames are kept as \
                long as those of other photos.

                Asks for confirmation on a terminal, but not in scripts and pipes.
                """,
            positionals: [LibraryPhotos.optional],
            groups: [
                library, OptionGroup("Photos", [LibraryPhotos.date]), OptionGroup("Options", [forGood, yes, json]),
            ],
            examples: [
                Example("livecap library remove 812", "one photo, after confirmation"),
                Example("livecap library restore", "the same photo is back"),
                Example("livecap library remove --yes 3-9", "several, without confirmation"),
                Example("livecap library remove --for-good 812", "a photo that nobody shall see again"),
            ])
    ) { arguments, console throws(Failure) in
        let photos = try LibraryPhotos(arguments)
        let ids = try photos.named()
        let trash = LibraryTrash(photos.library)
        guard arguments[yes] || trash.mayRemove(ids, forGood: arguments[forGood]) else {
            Console.note("nothing was removed")
            return 0
        }
        guard !arguments[forGood] else {
            return try photos.each(ids, &console) { id, console throws(Failure) in try trash.remove(id, &console) }
        }
        let now = CalendarTime(wall: .now)
        var count = 0
        let status = try photos.each(ids, &console) { id, console throws(Failure) in
            if try trash.discard(id, at: now, &console) { count += 1 }
        }
        if count > 0 { Console.note("'livecap library restore' brings \(count == 1 ? "it" : "them") back") }
        return status
    }

    static let restore = Verb(
        command: Command(
            "library restore", summary: "bring photos back from the trash",
            discussion: """
                Without numbers, these are the photos of the last 'livecap library remove'. 'livecap library list --trash' \
                shows all of them.
                """,
            positionals: [LibraryPhotos.optional], groups: [library, options],
            examples: [
                Example("livecap library restore", "what was removed last"),
                Example("livecap library restore 3-9", "those of them that are in the trash"),
            ])
    ) { arguments, console throws(Failure) in
        let photos = try LibraryPhotos(arguments)
        let trash = LibraryTrash(photos.library)
        let ids = photos.isNamed ? try photos.named(ofTrash: true) : try trash.last()
        return try photos.each(ids, &console) { id, console throws(Failure) in try trash.restore(id, &console) }
    }

    static let empty = Verb(
        command: Command(
            "library empty", summary: "permanently remove the photos in the trash",
            discussion: """
                Asks for confirmation on a terminal, but not in scripts and pipes.
                """, groups: [library, OptionGroup("Options", [yes, json])],
            examples: [Example("livecap library empty", "all photos in the trash, after confirmation")])
    ) { arguments, console throws(Failure) in
        let photos = try LibraryPhotos(arguments)
        let trash = LibraryTrash(photos.library)
        let ids = try trash.all()
        guard !ids.isEmpty else {
            Console.note("the trash is empty")
            return 0
        }
        guard arguments[yes] || trash.mayRemove(ids, forGood: true) else {
            Console.note("nothing was removed")
            return 0
        }
        return try photos.each(ids, &console) { id, console throws(Failure) in
            try trash.removeFromTrash(id, &console)
        }
    }

    static let rate = Verb(
        command: Command(
            "library rate", summary: "give photos stars, to find them by",
            discussion: """
                Ratings are kept in the library's catalogue; the photos' files stay as they are.
                """,
            positionals: [LibraryPhotos.optional],
            groups: [library, OptionGroup("Photos", [LibraryPhotos.date]), OptionGroup("Options", [stars, json])],
            examples: [
                Example("livecap library rate --stars 5 812", "one of the best"),
                Example("livecap library list --stars 4", "all that have four or five"),
            ])
    ) { arguments, console throws(Failure) in
        let photos = try LibraryPhotos(arguments)
        let (ids, stars) = (try photos.named(), arguments.required(stars))
        return try photos.each(ids, &console) { id, console throws(Failure) in
            try consulting { () throws(LibraryError) in try photos.library.rate(id, stars: stars) }
            if console.writesJSON {
                try console.print(.object([("id", .integer(id.number)), ("rating", JSON(stars))]))
            } else {
                try console.print("photo \(id): \(stars == 0 ? "no rating" : counted(stars, "star"))")
            }
        }
    }
}
