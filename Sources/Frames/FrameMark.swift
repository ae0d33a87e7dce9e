// SPDX-License-Identifier: MIT
// Stores a frame's number in its pixels: a strip of black and white boxes that survives noise and compression.

/// Draws a number into the top of a picture and reads it back. This lets tests check the order, loss and identity of
/// frames from their contents.
///
/// The strip has 56 square boxes, white for one and black for zero, read row by row from the top left corner: 8 boxes
/// of a fixed pattern (from which a reader learns the levels of black and white), 32 for the number and 16 for its
/// checksum, highest bits first. Boxes are 16, 8 or 4 pixels wide: the largest size for which the strip takes at most a
/// third of the picture's height. Where there is room, the number follows in digits for people: "FRAME 12".
package struct FrameMark: Sendable {
    /// The size of the pictures this mark fits.
    package let size: FrameSize
    /// The side of a box in pixels.
    package let boxSide: Int
    /// The height of the mark in pixels, from the top of the picture.
    package let height: Int
    private let columns: Int
    /// The number in digits; nil where there is no room.
    private let label: Label?

    private static let boxes = 56
    private static let pattern: UInt64 = 0b1110_0101

    /// Creates the mark for pictures of `size`; nil if they are too small for one.
    package init?(fitting size: FrameSize) {
        for side in [16, 8, 4] {
            let columns = min(size.width / side, Self.boxes)
            guard columns > 0 else { continue }
            let height = ceilDivide(Self.boxes, columns) * side
            if height <= size.height / 3 {
                self.size = size
                self.boxSide = side
                self.height = height
                self.columns = columns
                label = Label(
                    after: Self.boxes - (height / side - 1) * columns, side, bottom: height, width: size.width)
                return
            }
        }
        return nil
    }

    /// Draws `number` into an uncompressed frame of the mark's size. Unused boxes stay black. In frames of depth, it is
    /// of counts that say nothing, 0 and 65535; where infrared light comes first, it is in that.
    package func draw(_ number: UInt32, into frame: UnsafeMutableRawBufferPointer, format: FrameFormat) {
        precondition(frame.count >= format.neededBytes, "a frame of the mark's size")
        renumber(number, in: frame, format: format)
        greyOut(frame, format)
    }

    /// Draws `number` over an earlier mark in an uncompressed frame. Does not allocate.
    package func renumber(_ number: UInt32, in frame: UnsafeMutableRawBufferPointer, format: FrameFormat) {
        precondition(format.size == size && frame.count >= height * format.bytesPerLine, "a frame of the mark's size")
        let format = format.firstPlaneAsGrey ?? format
        let word = Self.word(number)
        guard let samples = format.pixelFormat.samples else {
            preconditionFailure("a compressed frame is decoded first")
        }
        let codes = format.colorimetry.range == .full ? (0, 1 << samples.bits - 1) : (16, 235)
        let scale = format.colorimetry.range == .full ? 0 : samples.bits - 8
        let (black, white) = (codes.0 << scale, codes.1 << scale)
        // Red, green and blue together set brightness.
        for component in 0..<(samples.model == .rgb ? 3 : 1) {
            let grid = SampleGrid(format, samples, component)
            for y in 0..<height {
                for box in 0..<columns {
                    let index = (y / boxSide) * columns + box
                    let isWhite = index < Self.boxes && word >> UInt64(Self.boxes - 1 - index) & 1 == 1
                    for x in (box * boxSide)..<((box + 1) * boxSide) {
                        grid.store(isWhite ? white : black, x, y, into: frame.baseAddress!)
                    }
                }
            }
            label?.draw(number) { x, y, isInk in grid.store(isInk ? white : black, x, y, into: frame.baseAddress!) }
        }
    }

    /// Reads the number from a frame; nil if there is none or it is too degraded.
    package func read(_ frame: RawSpan, format: FrameFormat) -> UInt32? {
        let format = format.firstPlaneAsGrey ?? format
        guard format.size == size, let samples = format.pixelFormat.samples, frame.byteCount >= format.neededBytes
        else { return nil }
        let grid = SampleGrid(format, samples, 0)
        let brightness = (0..<Self.boxes).map { index -> Int in
            // Sample the middle of each box: compression and scaling blur the edges.
            let (left, top) = ((index % columns) * boxSide, (index / columns) * boxSide)
            var sum = 0
            for y in (top + boxSide / 4)..<(top + boxSide - boxSide / 4) {
                for x in (left + boxSide / 4)..<(left + boxSide - boxSide / 4) {
                    sum += grid.sample(x, y, in: frame) >> (samples.bits - 8)
                }
            }
            return sum * 4 / (boxSide * boxSide)
        }
        // The pattern has five ones and three zeros.
        let sums = (0..<8).reduce(into: (white: 0, black: 0)) { sums, index in
            if Self.pattern >> UInt64(7 - index) & 1 == 1 {
                sums.white += brightness[index]
            } else {
                sums.black += brightness[index]
            }
        }
        let (white, black) = (sums.white / 5, sums.black / 3)
        guard white - black >= 32 else { return nil }
        let word = brightness.reduce(UInt64(0)) { $0 << 1 | ($1 > (white + black) / 2 ? 1 : 0) }
        let number = UInt32(truncatingIfNeeded: word >> 16)
        return word == Self.word(number) ? number : nil
    }

    private static func word(_ number: UInt32) -> UInt64 {
        pattern << 48 | UInt64(number) << 16 | UInt64(checksum(number))
    }

    /// CRC-16 with the X.25 polynomial over the number's 32 bits, highest first.
    private static func checksum(_ number: UInt32) -> UInt16 {
        var crc: UInt16 = 0xFFFF
        for index in 0..<32 {
            let bit = UInt16(truncatingIfNeeded: number >> UInt32(31 - index) & 1)
            crc = crc << 1 ^ ((crc >> 15 ^ bit) == 1 ? 0x1021 : 0)
        }
        return crc
    }

    /// Removes colour from the strip.
    private func greyOut(_ frame: UnsafeMutableRawBufferPointer, _ format: FrameFormat) {
        guard let samples = format.pixelFormat.samples, samples.model == .yCbCr else { return }
        let strip = max(columns * boxSide, label?.end ?? 0)
        for grid in SampleGrid.all(of: format).dropFirst() {
            for y in 0..<(height / grid.down) {
                for x in 0..<(strip / grid.across) {
                    grid.store(128 << (samples.bits - 8), x, y, into: frame.baseAddress!)
                }
            }
        }
    }
}

/// The number in digits, for people.
private struct Label {
    private static let word = Array("FRAME ".utf8)
    /// The number of digits in the largest number.
    private static let digits = 10
    /// The size of a dot in pixels, and the position of the first dot.
    private let scale: Int
    private let left: Int
    private let top: Int
    /// Whether there is also room for the word "FRAME".
    private let hasWord: Bool
    /// The column just past the label, rounded down to an even number.
    let end: Int

    /// Places the label in the last row of boxes, of which the first `used` are taken.
    init?(after used: Int, _ side: Int, bottom: Int, width: Int) {
        // A box is as high as a letter plus one dot.
        scale = side / 8
        guard scale > 0 else { return nil }
        left = (used + 1) * side
        top = bottom - side + scale / 2
        func end(_ letters: Int, _ left: Int, _ scale: Int) -> Int { left + (DotFont.advance * letters + 1) * scale }
        hasWord = end(Self.word.count + Self.digits, left, scale) <= width
        self.end = end((hasWord ? Self.word.count : 0) + Self.digits, left, scale) & ~1
        guard self.end <= width else { return nil }
    }

    /// Calls `put` for every pixel of the label, background first.
    func draw(_ number: UInt32, _ put: (_ x: Int, _ y: Int, _ isInk: Bool) -> Void) {
        var (place, divisor) = (0, UInt32(1))
        while number / divisor >= 10 { divisor *= 10 }
        let side = 8 * scale, row = top - scale / 2
        for x in (left - side)..<end { for y in row..<(row + side) { put(x, y, false) } }
        func character(_ code: UInt8) {
            let rows = DotFont.rows(code)
            for y in 0..<(DotFont.height * scale) {
                for x in 0..<(DotFont.width * scale) where DotFont.hasInk(rows, x / scale, y / scale) {
                    put(left + place * DotFont.advance * scale + x, top + y, true)
                }
            }
            place += 1
        }
        if hasWord { for code in Self.word { character(code) } }
        while divisor > 0 {
            character(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }
}
