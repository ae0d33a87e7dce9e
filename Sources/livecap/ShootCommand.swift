// SPDX-License-Identifier: MIT
// `livecap shoot`: the frames around a moment, as a picture.

import Camera
import CommandTable
import FrameRing
import Frames
import LiveCapture

enum ShootCommand {
    static let verb = Verb(
        command: Command(
            "shoot", summary: "take a picture of a moment, also of one just past",
            discussion: """
                The frame nearest the moment is taken out of the history kept in memory, and the frames around it are \
                merged into it: the picture shows its moment, with what the others know of it. Where they do not agree \
                with it, because something moved, they do not count. Frames that are damaged, or fit nowhere, are left \
                out, and the report says why. At the beginning of a file there are fewer.

                A moment that is older than the history, or with no frame within a frame's time of it, is an error and \
                never another frame. Every picture is reported with its signed lag: the frame's time minus the moment.

                The report's noise is the standard deviation of one frame's brightness noise, in codes of 8 bits, at \
                the picture's mean brightness. A frame's weight is what it counts in the mean over the picture: 1 for \
                the frame whose moment it is, down to 0. The evidence is how many frames' worth of it a sample rests \
                on, in the mean: merging divides the noise by about its root.

                Formats that cannot be merged (RGB24, BGR24), and JPEG frames with --quality single, become a picture as \
                they came.
                """,
            groups: ShootOptions.groups, exclusive: [SourceOptions.exclusive],
            examples: [
                Example("livecap shoot -o now.jpg", "a picture of this moment"),
                Example("livecap shoot --at -250ms -o before.jpg", "of a quarter of a second ago"),
                Example("livecap shoot --quality quality -o best.png", "the best there is, of 16 frames, in 16 bits"),
                Example("livecap shoot --replay walk.lcap --at 533ms --at 1.5s -o pictures/", "two out of a recording"),
                Example("livecap shoot --count 10 --interval 500ms -o series/", "ten in five seconds"),
            ])
    ) { arguments, console throws(Failure) in
        if arguments[SourceOptions.listDevices] { return try DevicesCommand.list(&console) }
        let settings = try ShootSettings(arguments)
        let files = try attempt { () throws(CameraError) in
            try PhotoFiles(
                settings.output, settings.format, count: settings.moments.count, mayReplace: settings.mayReplace)
        }
        let interruption = Interruption()
        let capture = try Capture(arguments, scenePace: .realtime, interruption)
        var darkroom = try Darkroom(settings, capture.loop.description.format)
        var taps = try TapWatch(settings.moments, ShotExtent(frames: settings.frames, after: settings.after), capture)
        capture.tellGrant(asked: arguments)
        capture.loop.start()
        var told: Set<String> = []
        while let shot = try taps.next() {
            var photo = try darkroom.develop(shot)
            for note in photo.notes where told.insert(note).inserted { Console.tell("note: \(note)") }
            let encoded = Timestamp.now
            let path = try creating { () throws(CameraError) in try files.write(photo.bytes, number: photo.number) }
            photo.took(.now - encoded, in: "store")
            let report = ShotReport(
                path: path, photo: photo, asked: settings.method.name, threads: settings.threads,
                droppedByRing: capture.loop.ring.statistics.dropped)
            try report.print(to: &console)
            try console.flush()
        }
        capture.loop.stop()
        capture.tellDropped()
        return 0
    }
}
