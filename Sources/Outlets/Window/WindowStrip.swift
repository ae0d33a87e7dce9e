// SPDX-License-Identifier: MIT
// What is drawn over the bottom of the picture: the rail, a line of words, and the keys.

import LivecapFrames

/// A light beside the words: whether a picture would be taken at once.
package enum WindowLight: Hashable, Sendable {
    /// It would.
    case ready
    /// It would wait.
    case waiting
    /// There are no frames.
    case away

    var colour: UInt32 {
        switch self {
        case .ready: 0xFF4C_D040
        case .waiting: 0xFF20_B0F0
        case .away: 0xFF50_50F0
        }
    }
}

/// What a strip says.
package struct WindowWords: Hashable, Sendable {
    package var light = WindowLight.away
    /// At the left: readiness, pictures, a movie.
    package var status = ""
    /// At the right: which moment is seen.
    package var moment = ""
    /// What keys do; nothing if they are not shown.
    package var keys = ""

    package init() {}
}

/// Paints strips. Pixels are of four bytes: red, green, blue and opacity.
package struct WindowStrip: Sendable {
    /// The strip's size.
    package let width, height: Int
    /// The ends of the rail.
    package let left, right: Int
    /// A dot of large letters, in pixels.
    private let dot: Int
    private let hasKeys: Bool
    /// Kept from one strip to the next.
    package private(set) var pixels: [UInt32] = []

    private static let ground: UInt32 = 0xA000_0000
    private static let ink: UInt32 = 0xFFFF_FFFF
    private static let grey: UInt32 = 0xFF90_9090

    /// A strip for a window that is `width` pixels wide and has `density` pixels per point.
    package init(width: Int, density: Double, hasKeys: Bool) {
        self.width = max(1, width)
        self.hasKeys = hasKeys
        dot = max(1, Int((density * 2).rounded()))
        left = 6 * dot
        right = max(left + 1, self.width - 6 * dot)
        height = dot * (hasKeys ? 36 : 24)
    }

    /// Whether a strip has the size of another.
    package func hasSize(of other: WindowStrip) -> Bool {
        width == other.width && height == other.height && hasKeys == other.hasKeys
    }

    /// Paints a strip whose rail's handle is at `handle`; nil for no rail.
    package mutating func paint(_ words: WindowWords, handle: Int?) {
        pixels = [UInt32](repeating: Self.ground, count: width * height)
        if let handle {
            fill(x: left, y: 5 * dot, width: right - left, height: dot, Self.grey)
            fill(x: handle - dot, y: 3 * dot, width: 3 * dot, height: 5 * dot, Self.ink)
        }
        let top = 12 * dot
        fill(x: left, y: top + dot, width: 5 * dot, height: 5 * dot, words.light.colour)
        let begin = left + 9 * dot
        let end = right - room(words.moment, dot)
        write(words.moment, x: end, y: top, dot, to: right, Self.ink)
        // Smaller rather than cut off.
        let limit = end - 4 * dot
        let size = begin + room(words.status, dot) <= limit ? dot : max(1, dot / 2)
        write(words.status, x: begin, y: top, size, to: limit, Self.ink)
        guard hasKeys else { return }
        let small = left + room(words.keys, dot) <= right ? dot : max(1, dot / 2)
        write(words.keys, x: left, y: 24 * dot, small, to: right, Self.grey)
    }

    private func room(_ text: String, _ dot: Int) -> Int { max(0, text.utf8.count * DotFont.advance - 1) * dot }

    /// Writes what fits before `end`.
    private mutating func write(_ text: String, x: Int, y: Int, _ dot: Int, to end: Int, _ colour: UInt32) {
        var x = x
        for character in text.utf8 {
            guard x + DotFont.width * dot <= end else { return }
            let rows = DotFont.rows(character)
            for row in 0..<DotFont.height {
                for column in 0..<DotFont.width where DotFont.hasInk(rows, column, row) {
                    fill(x: x + column * dot, y: y + row * dot, width: dot, height: dot, colour)
                }
            }
            x += DotFont.advance * dot
        }
    }

    private mutating func fill(x: Int, y: Int, width: Int, height: Int, _ colour: UInt32) {
        let columns = max(0, x)..<max(0, x, min(self.width, x + width))
        for row in max(0, y)..<max(0, y, min(self.height, y + height)) {
            for column in columns { pixels[row * self.width + column] = colour }
        }
    }
}
