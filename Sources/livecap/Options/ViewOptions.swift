// SPDX-License-Identifier: MIT
// How pictures are turned, mirrored and enlarged, and whether they have a date: the same words for stills, movies and
// virtual cameras.

import LivecapCommandTable
import LivecapFrames
import LivecapPictures
import LivecapStills

enum ViewOptions {
    static let rotation = Option(
        "rotate", ValueKind<String>.choice("DEGREES", of: ["0", "90", "180", "270"]).map { Int($0)! },
        help: "Rotate the picture clockwise, after mirroring")
    static let mirroring = Flag("hflip", aliases: ["mirror"], help: "Mirror the picture left to right")
    static let verticalFlip = Flag("vflip", help: "Mirror the picture top to bottom")
    static let zoom = Option(
        "zoom", Kinds.zoom,
        help:
            "Enlarge the middle of the picture, or with FACTOR@X,Y the part around a point: 0,0 is the top left corner of the "
            + "frames, 1,1 the bottom right one",
        details: "A camera with a zoom of its own has --set zoom")
    static let turned = Option(
        "orientation",
        ValueKind<String>.choice("HOW", of: orientations.map(\.name)).map { name in
            orientations.first { $0.name == name }!.value
        },
        help:
            "Where the top of the picture points, for a camera mounted on its side or upside down; mirroring comes first "
            + "(default: up). --rotate says the same in degrees")

    static let date = Flag(
        "date", help: "Draw the date and time at which each frame was taken at the lower left: 2026-11-30 15:45:10",
        details:
            "It is this machine's local time, white on any picture, and upright however pictures are turned. A picture "
            + "then also has its plain one, NAME.plain.jpg beside NAME.jpg; shared memory and recordings have the "
            + "frames as they came, without it. --date-format writes it in another way")
    static let dateFormat = Option(
        "date-format",
        ValueKind(
            "FORMAT",
            expects:
                "a date in the conversions of strftime and signs of ASCII, such as '%d.%m.%Y %H:%M', of at most "
                + "\(DateFormat.mostCharacters) characters; nor none"
        ) { DateWish($0) },
        help: "Draw the date as --date does, in this format, such as '%d.%m.%Y %H:%M' (default: none)",
        details:
            "The conversions are those of strftime. Letters are drawn as capitals. 'none' draws no date, whatever the "
            + "configuration file says")

    /// For tables of what shows all frames alike.
    static let group = OptionGroup(
        "View", about: "How the frames are shown (default: upright, as 'livecap devices --mount' has kept it).",
        [rotation, mirroring, verticalFlip, zoom, date], rare: [dateFormat])

    /// Another option that says how pictures are turned excludes these.
    static func exclusive(with other: any Declared) -> [[any Declared]] {
        [[other, rotation], [other, mirroring], [other, verticalFlip]]
    }

    /// All that are typed here and would change a view.
    static let all: [any Declared] = [rotation, mirroring, verticalFlip, zoom, date, dateFormat]

    /// Quarter turns clockwise, then the same after mirroring.
    private static let orientations: [(name: String, value: PhotoOrientation)] = [
        ("up", .up), ("right", .right), ("down", .down), ("left", .left), ("mirrored", .upMirrored),
        ("mirrored-right", .rightMirrored), ("mirrored-down", .downMirrored), ("mirrored-left", .leftMirrored),
    ]

    /// The orientation that results from rotating and mirroring; nil if neither is asked for.
    fileprivate static func orientation(_ degrees: Int?, isMirrored: Bool, isUpended: Bool) -> PhotoOrientation? {
        guard isMirrored || isUpended || degrees != nil else { return nil }
        // Mirroring top to bottom is mirroring left to right and half a turn.
        let turns = ((degrees ?? 0) / 90 + (isUpended ? 2 : 0)) % 4
        return orientations[turns + (isMirrored != isUpended ? 4 : 0)].value
    }
}

/// What `--date-format` asks for.
enum DateWish: Hashable, Sendable {
    case none
    case format(DateFormat)

    /// Nil for what is neither a format nor `none`.
    init?(_ text: String) {
        guard text != "none" else {
            self = .none
            return
        }
        guard let format = DateFormat(text) else { return nil }
        self = .format(format)
    }
}

extension Arguments {
    /// How a date is drawn; nil if none is.
    var date: DateFormat? {
        switch self[ViewOptions.dateFormat] {
        case .format(let format): format
        case .some(.none): nil
        case nil: self[ViewOptions.date] ? .usual : nil
        }
    }

    /// Whether it is said whether there is a date. What is in the configuration file is not for what is made `again`.
    func namesDate(again: Bool) -> Bool {
        guard again else { return contains(ViewOptions.date) || contains(ViewOptions.dateFormat) }
        return isTyped(ViewOptions.date) || isTyped(ViewOptions.dateFormat)
    }

    /// The orientation that is asked for; nil if none is.
    var orientation: PhotoOrientation? {
        self[ViewOptions.turned]
            ?? ViewOptions.orientation(
                self[ViewOptions.rotation], isMirrored: self[ViewOptions.mirroring],
                isUpended: self[ViewOptions.verticalFlip])
    }

    /// The same as what makes frames upright; nil if nothing is asked for.
    var mount: CameraMount? { orientation.map { CameraMount($0) } }

    /// How frames are shown of which `mount` makes upright pictures, if nothing else is asked for.
    func view(_ mount: CameraMount?) -> PictureView {
        PictureView(
            mount: self.mount ?? mount ?? .upright, crop: self[ViewOptions.zoom].map { PictureCrop($0) },
            date: date.map { PictureDate($0) })
    }
}
