// SPDX-License-Identifier: MIT
// `livecap shoot`: the frame of the moment, as a picture.

import Camera
import CommandTable
import FrameRing
import Frames

enum ShootCommand {
    private static let at = Option(
        "at", ValueKind<Int64>.nanoseconds("TIME", signed: true).map(TimeSpan.init(nanoseconds:)), repeatable: true,
        help:
            "The moment to take: counted from the first frame of a file, or of a scene at --pace fast; on a camera, or a "
            + "scene in real time, from now, which begins when enough history is there, so that -250ms is a quarter of "
            + "a second ago")
    private static let output = Option(
        "output", short: "o", .file("FILE|DIR"),
        help:
            "Where the picture goes; into a directory with the next free number, and into the current one if left out. "
            + "Several pictures to one FILE get -1, -2 ... before its suffix")
    private static let overwrite = Flag("overwrite", help: "Replace a file that is there already")
    private static let json = Flag("json", help: "Print an object a picture")

    static let verb = Verb(
        command: Command(
            "shoot", summary: "take a picture of a moment, also of one just past",
            discussion: """
                The frame nearest the moment is taken out of the history kept in memory and written as JPEG: one frame, \
                not merged yet with its neighbours. Frames of MJPG cameras are written as they came, with the Huffman \
                tables many leave out; others are encoded. Damaged frames are passed over.

                A moment that is older than the history, or with no frame within a frame's time of it, is an error and \
                never another frame. Every picture is reported with its signed lag: the frame's time minus the moment.
                """,
            groups: [SourceOptions.group, OptionGroup("Options", [at, output, overwrite, json])],
            exclusive: [SourceOptions.exclusive],
            examples: [
                Example("livecap shoot -o now.jpg", "a picture of this moment"),
                Example("livecap shoot --at -250ms -o before.jpg", "of a quarter of a second ago"),
                Example("livecap shoot --replay walk.lcap --at 533ms --at 1.5s -o pictures/", "two out of a recording"),
            ])
    ) { arguments, console throws(Failure) in
        if arguments[SourceOptions.listDevices] { return try DevicesCommand.list(&console) }
        let moments = arguments.all(at).isEmpty ? [.zero] : arguments.all(at)
        let interruption = Interruption()
        let capture = try Capture(arguments, scenePace: .realtime, interruption)
        let names = try attempt { () throws(CameraError) in
            try StillNames(arguments[output] ?? ".", count: moments.count, mayReplace: arguments[overwrite])
        }
        var encoder = try StillEncoder()
        var taps = try TapWatch(moments, capture)
        capture.tellGrant(asked: arguments)
        capture.loop.start()
        while let shot = try taps.next() {
            let begun = Timestamp.now
            let still = try encoder.encode(shot.window, shot.index)
            let encoded = Timestamp.now
            let path = try attempt { () throws(CameraError) in try names.write(still, number: shot.number) }
            let report = ShotReport(
                path: path, shot: shot.number, tap: shot.tap, frame: shot.frame, rejected: shot.rejected,
                byteCount: still.count, droppedByRing: capture.loop.ring.statistics.dropped,
                encoding: encoded - begun, writing: .now - encoded)
            try report.print(to: &console)
            try console.flush()
        }
        capture.loop.stop()
        capture.tellDropped()
        return 0
    }
}

/// One picture in words and as an object.
private struct ShotReport {
    let path: String
    let shot: Int
    let tap: Timestamp
    let frame: FrameMetadata
    let rejected: FrameMetadata?
    let byteCount: Int
    let droppedByRing: UInt64
    let encoding: TimeSpan
    let writing: TimeSpan

    private var lag: TimeSpan { frame.time - tap }

    func print(to console: inout Console) throws(Failure) {
        guard console.writesJSON else {
            let sign = lag.nanoseconds >= 0 ? "+" : ""
            return try console.print(
                "\(path): frame \(frame.id), \(sign)\(fixed(lag.milliseconds, 2)) ms from the moment "
                    + "(within \(fixed(frame.uncertainty.milliseconds, 2)) ms), \(byteCount / 1000) kB")
        }
        let used = JSON.object([
            ("id", .string("\(frame.id)")), ("ns", .integer(frame.time.nanoseconds)), ("weight", .number(1)),
        ])
        let passedOver = rejected.map { frame in
            JSON.object([("id", .string("\(frame.id)")), ("reason", .string("damaged: \(frame.damage.name)"))])
        }
        try console.print(
            .object([
                ("file", .string(path)), ("shot", JSON(shot)), ("tapNs", .integer(tap.nanoseconds)),
                ("referenceId", .string("\(frame.id)")), ("referenceNs", .integer(frame.time.nanoseconds)),
                ("lagMs", JSON(milliseconds: lag)), ("lagBoundMs", JSON(milliseconds: frame.uncertainty)),
                ("framesUsed", .array([used])), ("rejected", .array(passedOver.map { [$0] } ?? [])),
                ("qualityGiven", "single"),
                ("bytes", JSON(byteCount)), ("droppedByRing", JSON(droppedByRing)),
                (
                    "stagesMs",
                    .object([("encode", JSON(milliseconds: encoding)), ("store", JSON(milliseconds: writing))])
                ),
            ]))
    }
}
