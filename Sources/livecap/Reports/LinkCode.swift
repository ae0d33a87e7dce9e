// SPDX-License-Identifier: MIT
// A link as a code that phones scan, drawn with characters.

import LivecapCQRCode

/// The QR code of a text.
struct LinkCode: Hashable {
    /// How many modules each side has.
    let width: Int
    /// Whether each module is dark, row by row.
    let modules: [Bool]

    /// The code of a text; nil without libqrencode, or if the text is too long.
    init?(_ text: String) {
        // The largest code has 177 modules a side.
        var bytes = [UInt8](repeating: 0, count: 177 * 177)
        let width = Int(lc_qr_modules(text, &bytes, bytes.count))
        guard width > 0 else { return nil }
        self.width = width
        modules = bytes[..<(width * width)].map { $0 != 0 }
    }

    /// A code of these modules.
    init(width: Int, modules: [Bool]) { (self.width, self.modules) = (width, modules) }

    /// The light border that scanners need, in modules.
    static let quietZone = 4

    /// The width of its lines, in characters.
    var columns: Int { width + 2 * Self.quietZone }

    /// The code as lines, two rows of modules each, because a character is twice as high as it is wide.
    ///
    /// With colours it is black on white, whatever the terminal's own are. Without, what is light is drawn, as
    /// terminals without colours are mostly dark; scanners read it the other way around, too.
    func lines(hasColour: Bool) -> [String] {
        let (before, after) = hasColour ? ("\u{1B}[38;5;16;48;5;231m", "\u{1B}[0m") : ("", "")
        return stride(from: -Self.quietZone, to: width + Self.quietZone, by: 2).map { row in
            let characters = (-Self.quietZone..<width + Self.quietZone).map { column in
                let (upper, lower) = (isDark(row, column), isDark(row + 1, column))
                return Self.character(hasColour ? upper : !upper, hasColour ? lower : !lower)
            }
            return before + characters.joined() + after
        }
    }

    private func isDark(_ row: Int, _ column: Int) -> Bool {
        guard (0..<width).contains(row), (0..<width).contains(column) else { return false }
        return modules[row * width + column]
    }

    private static func character(_ isUpperDrawn: Bool, _ isLowerDrawn: Bool) -> String {
        switch (isUpperDrawn, isLowerDrawn) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
    }
}
