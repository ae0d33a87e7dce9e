// SPDX-License-Identifier: MIT
// Parsing values: which texts each kind accepts, and the errors for the others.

import Testing

@testable import LivecapCommandTable

@Suite struct ValueKindTests {
    @Test(
        arguments: [
            ("533ms", 533_000_000), ("0.533s", 533_000_000), ("-250ms", -250_000_000), ("1.5s", 1_500_000_000),
            ("2m", 120_000_000_000), ("2min", 120_000_000_000), ("1h", 3_600_000_000_000), ("7", 7_000_000_000),
            ("1.25", 1_250_000_000), (".5s", 500_000_000), ("5.s", 5_000_000_000), ("+3ns", 3), ("16us", 16_000),
            ("16µs", 16_000), ("0", 0), ("-0s", 0), ("0.0000000019s", 1), ("1.9999999999999999999s", 1_999_999_999),
            ("9223372036.854775807s", Int64.max), ("0.000000000001h", 3),
        ] as [(String, Int64)])
    func timesAreExact(text: String, nanoseconds: Int64) throws {
        #expect(try ValueKind<Int64>.nanoseconds(signed: true).parse(text) == nanoseconds)
    }

    @Test(arguments: [
        "", "s", "ms", "-", ".", ".s", "1.2.3s", "1 s", "1e3", "--5s", "5x", "0x10", "9223372036.854775808s",
        "99999999999999999999", "10000000000000h", "٣s", "nan", "inf",
    ])
    func otherTextsAreNoTimes(text: String) {
        #expect(throws: ValueRefusal()) { try ValueKind<Int64>.nanoseconds(signed: true).parse(text) }
    }

    @Test func aTimeBeforeNowIsRefusedWhereNoneIsMeant() {
        #expect(throws: ValueRefusal.self) { try ValueKind<Int64>.nanoseconds().parse("-1s") }
        #expect(throws: ValueRefusal.self) { try ValueKind<Int64>.positiveNanoseconds().parse("0s") }
    }

    @Test func numbersKeepToTheirRange() throws {
        let kind = ValueKind<Int>.integer(1...100)
        #expect(try kind.parse("1") == 1)
        #expect(try kind.parse("100") == 100)
        for text in ["0", "101", "-1", "", "1.0", "99999999999999999999"] {
            #expect(throws: ValueRefusal()) { try kind.parse(text) }
        }
    }

    @Test(arguments: [
        ("1", 1), ("512M", 512 << 20), ("64KiB", 64 << 10), ("2g", 2 << 30), ("3mb", 3 << 20), ("10B", 10),
    ])
    func amountsOfMemory(text: String, bytes: Int) throws {
        #expect(try ValueKind<Int>.bytes().parse(text) == bytes)
    }

    @Test(arguments: ["", "0", "M", "-1M", "1.5G", "1T", "9999999999G", "1 M"])
    func otherTextsAreNoMemory(text: String) {
        #expect(throws: ValueRefusal()) { try ValueKind<Int>.bytes().parse(text) }
    }

    @Test func aMisspeltChoiceIsGuessed() {
        let kind = ValueKind<String>.choice("PACE", of: ["realtime", "fast"])
        #expect(throws: ValueRefusal(suggestion: "fast")) { try kind.parse("fats") }
        #expect(throws: ValueRefusal(suggestion: "realtime")) { try kind.parse("real") }
        #expect(throws: ValueRefusal(suggestion: nil)) { try kind.parse("slow") }
    }

    @Test(arguments: [
        ("recrod", "record", 1), ("", "abc", 3), ("kitten", "sitting", 3), ("same", "same", 0), ("ab", "ba", 1),
        ("abcdef", "badcfe", 3), ("ca", "abc", 3),
    ])
    func distances(a: String, b: String, distance: Int) {
        #expect(Spelling.distance(a, b) == distance)
        #expect(Spelling.distance(b, a) == distance)
    }
}
