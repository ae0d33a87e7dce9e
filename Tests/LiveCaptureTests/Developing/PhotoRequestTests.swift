// SPDX-License-Identifier: MIT
// Converting photo requests to text and back, and refusing invalid text.

import LivecapEffects
import LivecapFrames
import LivecapSeededRandom
import LivecapStills
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite struct PhotoRequestTests {
    private static let whole: PhotoRequest = {
        var metadata = PhotoMetadata()
        metadata.orientation = .rightMirrored
        metadata.time = CalendarTime(sinceEpoch: .nanoseconds(1_790_000_000_123_456_789), utcOffset: .seconds(-3600))
        (metadata.software, metadata.cameraModel) = ("livecap \"7\"\n", "Kamera für alles")
        metadata.manual = ManualSettings(exposure: .milliseconds(8), gain: 3, whiteBalance: 4200, focus: 30)
        metadata.description = "after\tdark"
        metadata.provenance = "{}"
        var request = PhotoRequest(
            shot: ShotID(number: .max),
            settings: PhotoSettings(
                quality: .quality, frames: 4, laterFrames: 1, format: .heic, depth: .ten, encodeQuality: 80,
                metadata: metadata, effects: EffectSettings(portrait: 0.25, light: 1),
                date: DateFormat("%d.%m. %H'%M"), deferral: .required),
            tap: Timestamp(nanoseconds: -5), tapError: .milliseconds(1), tapFrame: FrameID(epoch: 2, counter: 11),
            quality: .quality, isPrioritized: false,
            frames: [9, 10, 12, 13].map { FrameID(epoch: 2, counter: $0) }, nearest: FrameID(epoch: 2, counter: 12),
            spares: [FrameID(epoch: 2, counter: 14)],
            damaged: [.init(id: FrameID(epoch: 2, counter: 11), damage: .jpegNoEnd)],
            shortage: FrameShortage(asked: 16, missing: 12, reason: .history), isExposureSettled: true,
            wasCameraOff: true, isRelieved: true, manual: ManualSettings(exposure: .milliseconds(8), focus: -1),
            wallTime: CalendarTime(sinceEpoch: .seconds(1e9), utcOffset: .seconds(7200)))
        request.settings.group = PhotoGroup(id: "tap-7", stream: "Kamera 2")
        return request
    }()
    private static let plain = PhotoRequest(
        shot: ShotID(number: 1), settings: PhotoSettings(), tap: .zero, tapError: .zero, tapFrame: nil,
        quality: .balanced, isPrioritized: true, frames: [FrameID(epoch: 0, counter: 0)],
        nearest: FrameID(epoch: 0, counter: 0), spares: [], damaged: [], isExposureSettled: false,
        manual: ManualSettings(),
        wallTime: nil)

    @Test(arguments: [whole, plain]) func whatIsWrittenIsReadAgain(_ request: PhotoRequest) throws {
        #expect(try PhotoRequest(request.text) == request)
    }

    @Test func aRequestFromBeforeShortagesWereKeptIsRead() throws {
        let text = Self.plain.text.replacing("\"shortage\":null,", with: "")
        #expect(text != Self.plain.text)
        #expect(try PhotoRequest(text) == Self.plain)
    }

    @Test func aRequestFromBeforePhotosHadEffectsIsRead() throws {
        let text = Self.plain.text.replacing(",\"effects\":null", with: "")
        #expect(text != Self.plain.text)
        #expect(try PhotoRequest(text) == Self.plain)
    }

    @Test func aRequestFromBeforeThereWereGroupsIsRead() throws {
        let text = Self.plain.text.replacing(",\"group\":null", with: "")
        #expect(text != Self.plain.text)
        #expect(try PhotoRequest(text) == Self.plain)
    }

    @Test func aGroupWithAnImpossibleNameIsRefused() throws {
        let text = Self.whole.text.replacing("\"tap-7\"", with: "\"tap 7\"")
        #expect(text != Self.whole.text)
        #expect(throws: PhotoRequestFault.self) { try PhotoRequest(text) }
    }

    @Test func aRequestFromBeforePhotosHadDatesIsRead() throws {
        let text = Self.plain.text.replacing(",\"date\":null", with: "")
        #expect(text != Self.plain.text)
        #expect(try PhotoRequest(text) == Self.plain)
        #expect(throws: PhotoRequestFault.self) {
            try PhotoRequest(Self.plain.text.replacing("\"date\":null", with: "\"date\":\"%Q\""))
        }
    }

    @Test func aRequestFromBeforeCamerasWereSwitchedOffIsRead() throws {
        let text = Self.plain.text.replacing("\"cameraWasOff\":false,", with: "")
        #expect(text != Self.plain.text)
        #expect(try PhotoRequest(text) == Self.plain)
    }

    @Test func aRequestFromBeforePressureHadItsOwnNameIsRead() throws {
        let text = Self.plain.text.replacing("\"relieved\":false,", with: "")
        #expect(text != Self.plain.text)
        #expect(try PhotoRequest(text) == Self.plain)
    }

    @Test func aRequestFromBeforeSettingsWereKeptHasItsExposure() throws {
        let manual = "\"manual\":{\"exposureNs\":8000000,\"gain\":null,\"whiteBalance\":null,\"focus\":-1}"
        let text = Self.whole.text.replacing(manual, with: "\"exposureNs\":8000000")
        #expect(text != Self.whole.text)
        #expect(try PhotoRequest(text).manual == ManualSettings(exposure: .milliseconds(8)))
    }

    @Test(arguments: [
        ("", "it is no JSON"), ("[]", "it has no 'version'"), ("{\"version\":1}", "it has no 'shot'"),
        (String(repeating: " ", count: 300_000), "it is too long"),
    ]) func whatIsNoneIsRefused(_ text: String, _ reason: String) {
        #expect(throws: PhotoRequestFault(reason: reason)) { try PhotoRequest(text) }
    }

    /// One piece of a valid request is replaced by another.
    @Test(
        arguments: [
            ("\"version\":1", "\"version\":2", "it is of version 2; this program reads 1"),
            ("\"frames\":[\"2:9\",", "\"frames\":[", nil),
            ("\"frames\":[\"2:9\",", "\"frames\":[\"2:10\",", "its frames are not in order"),
            ("\"frames\":[\"2:9\",", "\"frames\":[\"1:9\",", "its frames are not in order"),
            ("\"frames\":[\"2:9\",", "\"frames\":[7,", "its 'frames' makes no sense"),
            ("\"frames\":[\"2:9\",", "\"frames\":[\"2:-9\",", "its 'frames' makes no sense"),
            ("\"nearest\":\"2:12\"", "\"nearest\":\"2:11\"", "the frame nearest its tap is none of its frames"),
            ("\"spares\":[\"2:14\"]", "\"spares\":[\"2:9\"]", "its spare frames make no sense"),
            ("\"after\":1", "\"after\":4", "4 frames cannot all be after the moment, because one shows it"),
            ("\"after\":1", "\"after\":-1", "its 'after' makes no sense"),
            ("\"missing\":12", "\"missing\":16", "its 'missing' makes no sense"),
            ("\"after\":1", "\"after\":1e99", "its 'after' makes no sense"),
            ("\"depth\":10", "\"depth\":12", "its 'depth' makes no sense"),
            ("\"orientation\":7", "\"orientation\":9", "its 'orientation' makes no sense"),
            ("\"orientation\":7", "\"orientation\":-1", "its 'orientation' makes no sense"),
            ("\"damage\":\"jpeg-no-end\"", "\"damage\":\"none\"", "its 'damage' makes no sense"),
            ("\"tapErrorNs\":1000000", "\"tapErrorNs\":-1", "its 'tapErrorNs' makes no sense"),
            ("\"focus\":30", "\"focus\":3e9", "its 'focus' makes no sense"),
            ("\"encodeQuality\":80", "\"encodeQuality\":0", "encoder quality 0 is out of range"),
            ("\"format\":\"heic\"", "\"format\":\"../heic\"", "its 'format' makes no sense"),
            (
                "\"quality\":\"quality\",\"frames\":4", "\"quality\":\"speed\",\"frames\":4",
                "speed uses only the frame nearest the moment"
            ),
        ] as [(String, String, String?)]) func whatMakesNoSenseIsRefused(
            _ piece: String, _ other: String, _ reason: String?
        ) throws
    {
        let text = Self.whole.text
        let changed = try #require(text.firstRange(of: piece).map { text.replacingCharacters(in: $0, with: other) })
        if let reason {
            #expect(throws: PhotoRequestFault(reason: reason)) { try PhotoRequest(changed) }
        } else {
            #expect(try PhotoRequest(changed) != Self.whole)
        }
    }

    /// Damaged text is refused, or is a request that can be written and read again.
    @Test func damagedTextIsRefusedOrWhole() throws {
        let bytes = Array(Self.whole.text.utf8)
        var random = SeededRandom(seed: 11), taken = 0
        for _ in 0..<2000 {
            var bytes = bytes
            for _ in 0...Int(random.next() % 3) {
                let place = Int(random.next() % UInt64(bytes.count))
                bytes[place] = random.next() % 2 == 0 ? UInt8(truncatingIfNeeded: random.next()) : bytes[place] ^ 1
            }
            guard let request = try? PhotoRequest(String(decoding: bytes, as: UTF8.self)) else { continue }
            taken += 1
            #expect(try PhotoRequest(request.text) == request)
        }
        // Most changes affect text and numbers that may have other values.
        #expect(taken > 50)
    }

    /// A request that is cut short anywhere is refused, and nothing traps.
    @Test func aPartOfItIsNone() {
        let bytes = Array(Self.whole.text.utf8)
        for end in 0..<bytes.count {
            #expect(throws: PhotoRequestFault.self) { try PhotoRequest(String(decoding: bytes[..<end], as: UTF8.self)) }
        }
    }
}

extension String {
    fileprivate func firstRange(of piece: String) -> Range<String.Index>? {
        indices.lazy.compactMap { start in
            self[start...].hasPrefix(piece) ? start..<self.index(start, offsetBy: piece.count) : nil
        }.first
    }

    fileprivate func replacingCharacters(in range: Range<String.Index>, with other: String) -> String {
        var text = self
        text.replaceSubrange(range, with: other)
        return text
    }
}
