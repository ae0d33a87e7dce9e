// SPDX-License-Identifier: MIT
// A date drawn into a picture: white dots with a black outline, at the lower left of what is seen.

/// Draws the date of frames into pictures of one size. Text is made once a second at most, and drawing allocates
/// nothing. Used by one thread.
package struct DateStamp {
    private let format: DateFormat
    private let clock: FrameClock
    /// Where it may draw, as it is stored.
    private let area: PixelArea
    /// How the area is mirrored and turned before it is seen.
    private let mount: CameraMount
    /// The size of the area as it is seen.
    private let seen: FrameSize
    /// A dot's side in pixels, for a picture that has room for the text.
    private let usualDot: Int

    /// The dots of the text, row by row: the outline's are 1, ink's are 2.
    private var dots: [UInt8] = []
    private var columns = 0
    private var dot = 1
    /// The times that have this text.
    private var times: Range<Timestamp>?

    /// The rows of a text: those of the font, between two of outline.
    private static let rows = DotFont.height + 2
    /// How many dots the shorter side has: letters are a thirtieth of it high.
    private static let dotsOfSide = 210
    /// From the edge of the picture to the outline, in dots.
    private static let margin = 2

    /// Draws into `area` of pictures, which are seen mirrored and turned by `mount`. `clock` is that of the frames.
    package init(
        _ format: DateFormat, of clock: FrameClock, in area: PixelArea, seenAs mount: CameraMount = .upright
    ) {
        self.format = format
        self.clock = clock
        self.area = area
        self.mount = mount
        let isOnItsSide = mount.angle == .quarter || mount.angle == .threeQuarters
        seen =
            isOnItsSide
            ? FrameSize(width: area.height, height: area.width) : FrameSize(width: area.width, height: area.height)
        usualDot = max(1, (min(area.width, area.height) + Self.dotsOfSide / 2) / Self.dotsOfSide)
    }

    /// Shows the date of a frame of `time`, or nothing where that is unknown.
    package mutating func show(_ time: Timestamp) {
        if let times, times.contains(time) { return }
        guard let moment = clock.wallTime(of: time) else { return }
        show(moment)
        let second = 1_000_000_000 as Int64
        let rest = moment.utcNanoseconds % second
        let begin = time - .nanoseconds(rest < 0 ? rest + second : rest)
        times = begin..<begin + .nanoseconds(second)
    }

    /// Shows a date.
    package mutating func show(_ moment: CalendarTime) {
        times = nil
        let margins = 2 * Self.margin
        // Whole letters, where even the smallest do not all fit.
        let room = max(0, (seen.width - margins - 1) / DotFont.advance)
        let text = moment.formatted(format.text).utf8.prefix(room)
        columns = max(0, text.count * DotFont.advance - 1) + 2
        dot = max(1, min(usualDot, seen.width / (columns + margins), seen.height / (Self.rows + margins)))
        dots.removeAll(keepingCapacity: true)
        dots.append(contentsOf: repeatElement(0, count: columns * Self.rows))
        for (place, character) in text.enumerated() {
            let rows = DotFont.rows(character)
            for y in 0..<DotFont.height {
                for x in 0..<DotFont.width where DotFont.hasInk(rows, x, y) {
                    ink(1 + place * DotFont.advance + x, 1 + y)
                }
            }
        }
    }

    /// A dot of ink, with the outline around it.
    private mutating func ink(_ x: Int, _ y: Int) {
        for row in y - 1...y + 1 {
            for column in x - 1...x + 1 { dots[row * columns + column] = max(dots[row * columns + column], 1) }
        }
        dots[y * columns + x] = 2
    }

    /// Draws what is shown into one plane of a picture.
    package func draw<Sample>(into plane: StampedPlane<Sample>) {
        guard !dots.isEmpty else { return }
        let top = seen.height - (Self.rows + Self.margin) * dot
        var index = 0
        while index < dots.count {
            let kind = dots[index]
            let x = (Self.margin + index % columns) * dot
            let y = top + index / columns * dot
            index += 1
            guard kind > 0, let place = stored(PixelArea(x: x, y: y, width: dot, height: dot)) else { continue }
            plane.fill(place, isInk: kind > 1)
        }
    }

    /// Where a block that is seen is stored; nil if it is beyond the area.
    private func stored(_ block: PixelArea) -> PixelArea? {
        guard block.x >= 0, block.y >= 0, block.x + block.width <= seen.width, block.y + block.height <= seen.height
        else { return nil }
        var place = block
        switch mount.angle {
        case .none: break
        case .quarter:
            place.x = block.y
            place.y = area.height - block.x - block.width
        case .half:
            place.x = area.width - block.x - block.width
            place.y = area.height - block.y - block.height
        case .threeQuarters:
            place.x = area.width - block.y - block.height
            place.y = block.x
        }
        if mount.isMirrored { place.x = area.width - place.x - place.width }
        place.x += area.x
        place.y += area.y
        return place
    }
}

/// A rectangle of whole pixels.
package struct PixelArea: Hashable, Sendable {
    /// The left and top edges.
    package var x, y: Int
    /// The size.
    package var width, height: Int

    package init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// All of a picture.
    package init(_ size: FrameSize) { self.init(x: 0, y: 0, width: size.width, height: size.height) }
}

/// A plane of a picture in memory, and what its samples are where a date is drawn.
package struct StampedPlane<Sample> {
    private let start: UnsafeMutablePointer<Sample>
    private let stride: Int
    private let step: Int
    private let shared: (across: Int, down: Int)
    private let ink: Sample
    private let outline: Sample

    /// `stride` samples from row to row, `step` from one to the next. So many pixels share a sample.
    package init(
        _ start: UnsafeMutablePointer<Sample>, stride: Int, step: Int = 1, shared: (across: Int, down: Int) = (1, 1),
        ink: Sample, outline: Sample
    ) {
        self.start = start
        self.stride = stride
        self.step = step
        self.shared = shared
        self.ink = ink
        self.outline = outline
    }

    /// All samples of which a pixel of `area` has a share.
    fileprivate func fill(_ area: PixelArea, isInk: Bool) {
        let sample = isInk ? ink : outline
        let left = area.x / shared.across
        let right = (area.x + area.width - 1) / shared.across
        let bottom = (area.y + area.height - 1) / shared.down
        // Generic code of another module is not specialised: there, a `for` loop may allocate.
        var y = area.y / shared.down
        while y <= bottom {
            let row = start + y * stride
            var x = left
            while x <= right {
                row[x * step] = sample
                x += 1
            }
            y += 1
        }
    }
}
