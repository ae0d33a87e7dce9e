// SPDX-License-Identifier: MIT
// Values keep their worth when encoded, refuse what is none of theirs, and print well.

import Foundation
import LivecapFrames
import Testing

private func json(_ value: some Encodable) throws -> String {
    String(decoding: try JSONEncoder().encode([value]), as: UTF8.self)
}

private func value<Value: Decodable>(_ type: Value.Type, from json: String) throws -> Value? {
    try JSONDecoder().decode([Value].self, from: Data("[\(json)]".utf8)).first
}

/// Whether a value is equal to itself after encoding and decoding.
private func survives<Value: Codable & Equatable>(_ value: Value) throws -> Bool {
    try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value)) == value
}

@Suite struct ValueCodingTests {
    @Test func valuesWithATextFormAreEncodedAsText() throws {
        #expect(try json(FrameSize(width: 1280, height: 720)) == #"["1280x720"]"#)
        #expect(try json(FrameID(epoch: 2, counter: .max)) == #"["2:18446744073709551615"]"#)
        #expect(try json(FrameRate(25, per: 2)).contains("25"))
        #expect(try json(PixelFormat.i420) == #"["I420"]"#)
        #expect(try json(Damage.jpegNoEnd) == #"["jpeg-no-end"]"#)
        #expect(try json(TimestampSource.startOfExposure) == #"["startOfExposure"]"#)
        #expect(try json(Timestamp(nanoseconds: -5)) == "[-5]")
        #expect(try json(PhotoQuality.balanced) == #"["balanced"]"#)
    }

    @Test(arguments: [1, 2, 65535]) func sizesSurvive(_ side: Int) throws {
        #expect(try survives(FrameSize(width: side, height: 65536 - side)))
    }

    @Test(arguments: [FrameRate(1), FrameRate(30000, per: 1001), FrameRate(.max, per: 1), FrameRate(1, per: .max)])
    func ratesSurvive(_ rate: FrameRate) throws {
        #expect(try survives(rate))
    }

    /// Also codes of which livecap knows nothing, one that is the name of another format, and one that is no text.
    @Test(
        arguments: PixelFormatRow.all.map(\.format) + [
            PixelFormat("pBAA"), PixelFormat("Y14 "), PixelFormat("I420"), PixelFormat(fourCC: 0),
            PixelFormat(fourCC: .max),
            PixelFormat("    "), PixelFormat("0x12"),
        ])
    func pixelFormatsSurvive(_ format: PixelFormat) throws {
        #expect(try survives(format))
    }

    @Test func aSetOfReactionsKeepsEachOfThem() throws {
        var set = ReactionSet()
        #expect(set.isEmpty && set.all.isEmpty)
        for reaction in Reaction.allCases.reversed() {
            #expect(!set.contains(reaction))
            set.insert(reaction)
            #expect(set.contains(reaction))
        }
        #expect(try set.all == Reaction.allCases && survives(set))
    }

    @Test func enumerationsSurvive() throws {
        #expect(try TimestampSource.allCases.allSatisfy(survives))
        #expect(try Damage.allCases.allSatisfy(survives))
        #expect(try SourceClock.allCases.allSatisfy(survives))
        for range in Colorimetry.Range.allCases {
            for matrix in Colorimetry.Matrix.allCases {
                for (transfer, primaries) in zip(Colorimetry.Transfer.allCases, Colorimetry.Primaries.allCases) {
                    let colors = Colorimetry(range: range, matrix: matrix, transfer: transfer, primaries: primaries)
                    #expect(try survives(colors))
                }
            }
        }
    }

    @Test(arguments: [Int64.min, -1_000_000_001, -1, 0, 1, 1_795_293_015_042_345_678, .max])
    func timesSurvive(_ nanoseconds: Int64) throws {
        #expect(try survives(Timestamp(nanoseconds: nanoseconds)))
        for minutes in [-720, -570, 0, 120, 345] {
            let time = CalendarTime(sinceEpoch: .nanoseconds(nanoseconds), utcOffset: .seconds(60 * minutes))
            #expect(try survives(time), "\(time)")
        }
    }

    @Test func calendarTimesAreEncodedInISO8601() throws {
        let evening = CalendarTime(sinceEpoch: .milliseconds(1_795_293_015_042), utcOffset: .seconds(7200))
        #expect(try json(evening) == #"["2026-11-21T22:30:15.042000000+02:00"]"#)
        var oddly = evening
        oddly.utcOffset += .seconds(59)
        #expect(try json(oddly) == json(evening))
    }

    @Test func descriptionsOfFramesAndSourcesSurvive() throws {
        let metadata = FrameMetadata(
            time: .distantFuture, byteCount: 7, sequence: .max, timeSource: .scene, uncertainty: .nanoseconds(1),
            flags: [.gapBefore], damage: .short, lostBefore: 3, id: FrameID(epoch: .max, counter: 0))
        #expect(try survives(metadata))
        let source = SourceDescription(
            name: "a \"b\"", identity: "c",
            format: FrameFormat(pixelFormat: .p010, size: FrameSize(width: 3, height: 5)),
            rate: FrameRate(15), clock: .own, anchor: .now, firstTime: .zero, frameCount: 2)
        #expect(try survives(source.anchor?.monotonic))
        var whole = source
        whole.anchor?.calendar = CalendarTime(sinceEpoch: .seconds(1), utcOffset: .seconds(3600))
        #expect(try survives(whole))
    }

    @Test(arguments: ["0x5", "5x0", "65536x1", "5", "x", "5x5x5", "", "-1x5"]) func sizesRefuse(_ text: String) {
        #expect(throws: DecodingError.self) { try value(FrameSize.self, from: "\"\(text)\"") }
    }

    @Test(arguments: ["0/1", "1/0", "30", "1/2/3", "-1/1", "1/4294967296", "/", ""]) func ratesRefuse(_ text: String) {
        #expect(throws: DecodingError.self) { try value(FrameRate.self, from: "\"\(text)\"") }
    }

    @Test(arguments: ["0:+1", "1", "1:2:3", "4294967296:0", ":", ""]) func idsRefuse(_ text: String) {
        #expect(throws: DecodingError.self) { try value(FrameID.self, from: "\"\(text)\"") }
    }

    @Test(arguments: ["", "ABCDE", "0x123456789", "\\n", "\u{e4}"]) func pixelFormatsRefuse(_ text: String) {
        #expect(throws: DecodingError.self) { try value(PixelFormat.self, from: "\"\(text)\"") }
    }

    @Test(arguments: [
        "", "now", "2026-11-21", "2026-02-30T00:00:00.000000000+00:00", "2026-11-21T22:30:15.042+02:00",
        "2026-11-21T25:30:15.042000000+02:00", "2026-11-21T22:30:15.042000000*02:00",
        "9999-11-21T22:30:15.042000000+02:00", "2026-11-21T22:30:15.042000000+99999999:00",
        "999999999-11-21T22:30:15.042000000+00:00", "2026-999999999-21T22:30:15.042000000+00:00",
    ])
    func calendarTimesRefuse(_ text: String) {
        #expect(throws: DecodingError.self) { try value(CalendarTime.self, from: "\"\(text)\"") }
    }

    @Test func enumerationsRefuse() {
        #expect(throws: DecodingError.self) { try value(Damage.self, from: #""driverFlag""#) }
        #expect(throws: DecodingError.self) { try value(TimestampSource.self, from: "1") }
        #expect(throws: DecodingError.self) { try value(Colorimetry.Range.self, from: #""whole""#) }
        #expect(throws: DecodingError.self) { try value(PhotoQuality.self, from: #""best""#) }
        #expect(throws: DecodingError.self) { try value(Timestamp.self, from: "1.5") }
    }
}

@Suite struct ValueWordsTests {
    @Test(arguments: [
        (Int64(0), "0 s"), (1_500_000_000, "1.5 s"), (-250_000_000, "-0.25 s"), (1, "0.000000001 s"),
        (.max, "9223372036.854775807 s"), (.min, "-9223372036.854775808 s"),
    ])
    func timesAreExact(_ nanoseconds: Int64, _ words: String) {
        #expect("\(Timestamp(nanoseconds: nanoseconds))" == words)
    }

    @Test func framesAndSources() {
        let metadata = FrameMetadata(
            time: Timestamp(nanoseconds: 1_500_000_000), byteCount: 40, damage: .short, lostBefore: 2,
            id: FrameID(epoch: 0, counter: 12))
        #expect("\(metadata)" == "frame 0:12 at 1.5 s, 40 bytes, damaged: short, 2 lost before it")
        let format = FrameFormat(pixelFormat: .yuyv, size: FrameSize(width: 8, height: 4))
        #expect("\(format)" == "YUYV 8x4" && "\(format.colorimetry)" == "limited bt601 sRGB bt709")
        let source = SourceDescription(
            name: "Webcam", identity: "", format: format, rate: FrameRate(30), clock: .monotonic)
        #expect("\(source)" == "Webcam: YUYV 8x4 at 30 fps")
        let anchor = WallClockAnchor(
            monotonic: Timestamp(nanoseconds: 5_250_000_000), calendar: CalendarTime(sinceEpoch: .zero), zoneName: "UTC"
        )
        #expect("\(anchor)" == "5.25 s is 1970-01-01T00:00:00.000+00:00")
    }
}
