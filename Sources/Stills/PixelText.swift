// SPDX-License-Identifier: MIT
// Text in explanation pictures, drawn in dots on rows of red, green and blue bytes.

import LivecapFrames

/// A picture with three bytes per pixel to draw into, initially black.
struct Canvas {
    let size: FrameSize
    private(set) var pixels: [UInt8]

    init(_ size: FrameSize) {
        self.size = size
        pixels = [UInt8](repeating: 0, count: 3 * size.area)
    }

    mutating func put(_ x: Int, _ y: Int, _ color: PaletteColor) {
        let place = 3 * (y * size.width + x)
        (pixels[place], pixels[place + 1], pixels[place + 2]) = (color.red, color.green, color.blue)
    }

    mutating func fill(_ columns: Range<Int>, _ rows: Range<Int>, _ color: PaletteColor) {
        for y in rows { for x in columns { put(x, y, color) } }
    }

    /// Draws text with its first dot at (`x`, `y`), clipped to the picture.
    mutating func write(_ text: String, x: Int, y: Int, scale: Int, color: PaletteColor = .white) {
        for (place, character) in text.utf8.enumerated() {
            let rows = DotFont.rows(character), left = x + place * DotFont.advance * scale
            for dotY in 0..<DotFont.height {
                for dotX in 0..<DotFont.width where DotFont.hasInk(rows, dotX, dotY) {
                    for row in (y + dotY * scale)..<(y + (dotY + 1) * scale) where row < size.height {
                        for column in (left + dotX * scale)..<(left + (dotX + 1) * scale)
                        where column >= 0 && column < size.width { put(column, row, color) }
                    }
                }
            }
        }
    }
}

/// The size of text, and the measurements that follow from it.
struct TextSize: Hashable {
    /// The size of a dot in pixels.
    var scale: Int

    /// The distance between lines in pixels.
    var line: Int { (DotFont.height + 3) * scale }

    /// The width of text in pixels, from the first dot to the last.
    func width(_ text: String) -> Int { width(characters: text.utf8.count) }

    func width(characters: Int) -> Int { max(0, characters * DotFont.advance - 1) * scale }

    /// Breaks text into lines that fit; nil if a word does not fit.
    func lines(_ text: String, within width: Int) -> [String]? {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            guard self.width(String(word)) <= width else { return nil }
            if let last = lines.last, self.width(last + " " + word) <= width {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}

/// A colour of red, green and blue bytes.
struct PaletteColor: Hashable {
    var red: UInt8
    var green: UInt8
    var blue: UInt8

    static let white = PaletteColor(red: 255, green: 255, blue: 255)
    static let rejected = PaletteColor(red: 200, green: 30, blue: 30)
}
