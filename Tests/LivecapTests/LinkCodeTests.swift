// SPDX-License-Identifier: MIT
// The code that phones scan: its characters show the modules, and scanners read the link.

import Foundation
import Testing

@testable import livecap

@Suite struct LinkCodeTests {
    private static let link = "http://192.0.2.7:8080/?token=0123456789abcdef0123456789abcdef"

    /// What the lines of a code show: whether each module is drawn, row by row.
    private func drawn(_ lines: [String]) -> [[Bool]] {
        lines.flatMap { line -> [[Bool]] in
            let plain = line.replacing("\u{1B}[38;5;16;48;5;231m", with: "").replacing("\u{1B}[0m", with: "")
            return [plain.map { "█▀".contains($0) }, plain.map { "█▄".contains($0) }]
        }
    }

    @Test func charactersShowEachModuleInALightBorder() {
        let code = LinkCode(width: 2, modules: [true, false, false, true])
        let rows = drawn(code.lines(hasColour: true))
        #expect(rows.count == 10 && rows.allSatisfy { $0.count == code.columns })
        for (y, row) in rows.enumerated() {
            for (x, isDark) in row.enumerated() {
                #expect(isDark == ((x, y) == (4, 4) || (x, y) == (5, 5)), "\(x), \(y)")
            }
        }
    }

    @Test func withoutColoursWhatIsLightIsDrawn() {
        let code = LinkCode(width: 3, modules: [true, false, true, false, true, false, true, true, true])
        let (black, white) = (drawn(code.lines(hasColour: true)), drawn(code.lines(hasColour: false)))
        #expect(zip(black, white).allSatisfy { zip($0, $1).allSatisfy { $0 != $1 } })
        #expect(code.lines(hasColour: false).allSatisfy { !$0.contains("\u{1B}") })
    }

    /// The three corners by which scanners find a code: a dark square of 7 with a light ring in it.
    @Test func theLibraryMakesACode() throws {
        let code = try #require(LinkCode(Self.link))
        #expect(code.width >= 21 && (code.width - 17) % 4 == 0)
        for (top, left) in [(0, 0), (0, code.width - 7), (code.width - 7, 0)] {
            for y in 0..<7 {
                for x in 0..<7 {
                    let isRing = max(abs(x - 3), abs(y - 3)) == 2
                    #expect(code.modules[(top + y) * code.width + left + x] != isRing, "\(top + y), \(left + x)")
                }
            }
        }
        #expect(LinkCode(Self.link + "0") != code)
    }

    @Test func aTextThatNoCodeHoldsHasNone() {
        #expect(LinkCode(String(repeating: "x", count: 3000)) == nil)
    }

    /// A machine may lack OpenCV.
    private static let canScan = (try? run("/usr/bin/python3", ["-c", "import cv2"])) == 0

    @Test(.enabled(if: canScan)) func aScannerReadsTheLink() throws {
        let files = try Scratch()
        let code = try #require(LinkCode(Self.link))
        let scale = 4
        let rows = drawn(code.lines(hasColour: true)).flatMap { row in
            let pixels = row.flatMap { [UInt8](repeating: $0 ? 0 : 255, count: scale) }
            return [[UInt8]](repeating: pixels, count: scale)
        }
        let head = "P5\n\(code.columns * scale) \(rows.count) 255\n"
        try Data(Array(head.utf8) + rows.flatMap { $0 }).write(to: URL(filePath: files.path("code.pgm")))
        let script = """
            import cv2, sys
            text = cv2.QRCodeDetector().detectAndDecode(cv2.imread(sys.argv[1]))[0]
            sys.exit(text != sys.argv[2])
            """
        #expect(try run("/usr/bin/python3", ["-c", script, files.path("code.pgm"), Self.link]) == 0)
    }
}
