// SPDX-License-Identifier: MIT
// `livecap develop`: makes another picture from kept frames.

import Camera
import Glibc
import LiveCapture
import LivecapCommandTable
import LivecapFiles
import LivecapFrameFiles
import LivecapFrames
import LivecapPhotoStorage

enum DevelopCommand {
    private static let burst = Positional(
        .file("PHOTO|BURST"), help: "The number of a photo in the library, or a recording or other file of frames")
    private static let at = Option(
        "at", ValueKind<Int64>.nanoseconds("TIME", signed: true).map(Duration.nanoseconds),
        help:
            "The moment: for a photo, relative to its own, so that -33ms is just before; for a file, from its first frame"
    )
    private static let frame = Option(
        "frame", ValueKind<FrameID>("ID", expects: "a frame's id, such as 0:123", parse: { FrameID($0) }),
        help: "The frame whose moment to show, by its id in 'livecap info'")
    private static let earlier = Option(
        "earlier", .integer(1...1_000_000), help: "Move the moment N frames earlier")
    private static let later = Option("later", .integer(1...1_000_000), help: "Move the moment N frames later")

    static let verb = Verb(
        command: Command(
            "develop", summary: "make a picture again from kept frames",
            discussion: """
                Fuses a recording, or the kept frames of a library's photo, again: with another quality or format, or for a \
                slightly earlier or later moment. The defaults are the settings the photo was taken with; for a recording, \
                the moment is that of its last frame.

                The library keeps the frames of deferred photos, and of all photos taken with --keep-frames, until 'livecap \
                library clean' or 'finish' removes them. A photo without frames cannot be developed again.

                --effects draws other effects into a photo than those it was taken with, or takes them back with none. For a \
                picture that 'livecap shoot --effects' wrote, or any other, name its file: NAME.jpg is made again from \
                NAME.plain.jpg, which stays as it is. A date that was drawn with --date is taken back in the same way, or \
                with --date-format none where frames are kept.

                The same frames and settings always give the same pixels, with any number of threads. The photo in the \
                library stays unchanged.
                """,
            positionals: [burst],
            groups: [
                OptionGroup("Moment", [at, frame, earlier, later]),
                ShootOptions.picture,
                OptionGroup(
                    "Source", about: "The library, or the format of a headerless file.",
                    [LibraryPlace.option, SourceOptions.inputFormat, SourceOptions.size, SourceOptions.rate]),
                OptionGroup(
                    "Output",
                    [
                        ShootOptions.output, ShootOptions.comparison, ShootOptions.explanation, ShootOptions.overwrite,
                        ShootOptions.json, ConsoleOptions.quiet,
                    ], rare: [EffectOptions.ofPictures, ShootOptions.mask]),
            ], exclusive: ShootOptions.exclusive + [[at, frame], [earlier, later]],
            examples: [
                Example("livecap develop 812 --earlier 2 -o before.jpg", "a photo, two frames earlier"),
                Example(
                    "livecap develop 812 --quality quality --format png -o best.png",
                    "the best quality, which takes longer"),
                Example("livecap develop 812 --effects none -o plain.jpg", "without the effects it was taken with"),
                Example("livecap develop me.jpg --effects portrait=0.3 -o less.jpg", "of me.plain.jpg, beside it"),
                Example("livecap develop walk.lcap --at 1.5s -o still.heic", "a moment of a recording"),
                Example("livecap develop walk.mkv --at 12.3s -o seen.jpg", "a moment of a movie with a camera's JPEG"),
            ])
    ) { arguments, console throws(Failure) in
        if let picture = try picture(arguments) { return try develop(picture, arguments, &console) }
        let burst = try open(arguments)
        // Those of the configuration file are for what is taken.
        let effects =
            arguments.isTyped(EffectOptions.ofPictures) ? arguments[EffectOptions.ofPictures] : nil
        let pictures = try PictureOptions(arguments, of: burst.request, effects: effects)
        try EffectOptions.checkPhotos(arguments, pictures)
        let files = try pictures.files(count: 1, keepsPlain: false, &console)
        let companions = try Companion.all(arguments, pictures, count: 1)
        var reference = arguments[at].map(KeptBurst.Reference.at) ?? .usual
        if let frame = arguments[frame] { reference = .frame(frame) }
        let steps = (arguments[later] ?? 0) - (arguments[earlier] ?? 0)
        var made: Photo
        do throws(PhotoError) {
            made = try burst.photo(
                pictures.settings, of: reference, movedBy: steps, threads: pictures.threads, level: pictures.level)
        } catch { throw .photo(error, of: burst.request == nil ? .file : .photo) }
        // It can be developed once more.
        made.plain = nil
        let photo = try creating { () throws(FileError) in try made.written(to: files) }
        for note in photo.notes { Console.note("note: \(note)") }
        try ShotReport(photo: photo, threads: pictures.threads, droppedByRing: 0).print(to: &console)
        if let failure = companions.lazy.compactMap({ $0.write(photo) }).first { throw failure }
        return 0
    }

    /// The picture file to draw effects into, if one is named.
    private static func picture(_ arguments: Arguments) throws(Failure) -> KeptPicture? {
        let name = arguments.required(burst)
        let dates: [any Declared] = [ViewOptions.date, ViewOptions.dateFormat]
        let isDated = arguments.namesDate(again: true)
        guard arguments.isTyped(EffectOptions.ofPictures) || isDated, StillFormat(suffixOf: name) != nil,
            isRegularFile(name)
        else { return nil }
        try arguments.refuse(
            dates, as: "\(name) is a picture, and dates are drawn only where frames are; --effects none takes one back")
        try arguments.refuse(
            [
                at, frame, earlier, later, SourceOptions.inputFormat, SourceOptions.size, SourceOptions.rate,
                LibraryPlace.option, ShootOptions.quality, ShootOptions.frames, ShootOptions.after,
                ShootOptions.reference, ViewOptions.zoom, ViewOptions.turned, ViewOptions.rotation,
                ViewOptions.mirroring, ViewOptions.verticalFlip, ShootOptions.comparison, ShootOptions.explanation,
            ], as: "\(name) is a picture, into which only effects are drawn")
        do throws(PhotoError) { return try KeptPicture(name) } catch { throw .photo(error, of: .file) }
    }

    /// Draws effects into a picture.
    private static func develop(
        _ picture: KeptPicture, _ arguments: Arguments, _ console: inout Console
    ) throws(Failure) -> Int32 {
        let pictures = try PictureOptions(arguments, effects: arguments[EffectOptions.ofPictures])
        try EffectOptions.checkPhotos(arguments, pictures)
        let files = try pictures.files(count: 1, keepsPlain: false, &console)
        do throws(PhotoError) { try picture.checkTarget(files.path(1)) } catch { throw .photo(error, of: .file) }
        let companions = try Companion.all(arguments, pictures, count: 1)
        let made: Photo
        do throws(PhotoError) {
            made = try picture.photo(pictures.settings, threads: pictures.threads, level: pictures.level)
        } catch { throw .photo(error, of: .file) }
        let photo = try creating { () throws(FileError) in try made.written(to: files) }
        Console.note("note: made of \(picture.path)")
        try ShotReport(photo: photo, threads: pictures.threads, droppedByRing: 0).print(to: &console)
        if let failure = companions.lazy.compactMap({ $0.write(photo) }).first { throw failure }
        return 0
    }

    /// The frames to develop: those of a library's photo if a number is given and no file has that name.
    private static func open(_ arguments: Arguments) throws(Failure) -> KeptBurst {
        let name = arguments.required(burst)
        if let id = PhotoID(name), access(name, F_OK) != 0 {
            try arguments.refuse(
                [SourceOptions.inputFormat, SourceOptions.size, SourceOptions.rate],
                as: "\(name) is a photo of the library, whose frames are known")
            let library = try LibraryPlace.open(arguments)
            return try attempt { () throws(PhotoError) in try KeptBurst(of: id, in: library) }
        }
        try arguments.refuse([LibraryPlace.option], as: "\(name) is a file of frames, not a photo of a library")
        let file = try attempt { () throws(FrameFileError) in try openFrameFile(name, arguments.importSettings) }
        return KeptBurst(try attempt { () throws(CameraError) in try pictures(of: file) })
    }
}
