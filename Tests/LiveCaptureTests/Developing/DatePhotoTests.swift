// SPDX-License-Identifier: MIT
// Photos with their date: drawn last and upright, beside a plain picture, and only where it is known.

import Foundation
import LivecapFrames
import LivecapIntents
import LivecapStills
import Testing

@testable import LivecapDeveloping

@Suite struct DatePhotoTests {
    private let folder: PhotoFolder
    private static let size = FrameSize(width: 161, height: 99)
    private static let moment = CalendarTime(sinceEpoch: .seconds(1_796_053_510))

    init() throws { folder = try PhotoFolder() }

    /// One grey frame, and what is known of its time.
    private func burst(isKnown: Bool = true) -> KeptBurst {
        let format = FrameFormat(pixelFormat: .grey, size: Self.size)
        let bytes = (0..<Self.size.area).map { UInt8(60 + $0 % 90) }
        let time = Timestamp(nanoseconds: 3_000_000_000)
        let frame = FrameMetadata(
            time: time, byteCount: bytes.count, sequence: 0, timeSource: .file, uncertainty: .zero,
            id: FrameID(epoch: 0, counter: 0))
        var source = SourceDescription(name: "eye", identity: "eye", format: format, rate: nil, clock: .own)
        if isKnown { source.anchor = WallClockAnchor(monotonic: time, calendar: Self.moment, zoneName: "UTC") }
        return KeptBurst(source, [UnreadFrame(frame) { () throws(PhotoError) in bytes }])
    }

    private func photo(
        _ date: DateFormat?, _ format: StillFormat = .png, _ orientation: PhotoOrientation = .up, isKnown: Bool = true
    ) throws -> Photo {
        var metadata = PhotoMetadata()
        metadata.orientation = orientation
        let settings = PhotoSettings(
            quality: .mean, frames: 1, format: format, depth: .eight,
            encodeQuality: format == .jpeg ? 100 : nil, metadata: metadata, date: date)
        return try burst(isKnown: isKnown).photo(settings, threads: 1)
    }

    /// Red samples of a picture file, as they are stored.
    private func samples(_ file: [UInt8], _ size: FrameSize) throws -> [UInt8] {
        let picture = try ImageSettings(size: size, format: .rgb24).picture(of: file, PhotoMetadata())
        try #require(picture.bytes.count == 3 * size.area)
        return stride(from: 0, to: picture.bytes.count, by: 3).map { picture.bytes[$0] }
    }

    /// The same with the date.
    private func dated(_ samples: [UInt8], _ size: FrameSize) -> [UInt8] {
        var samples = samples
        var stamp = DateStamp(.usual, of: .unknown, in: PixelArea(size), seenAs: .upright)
        stamp.show(Self.moment)
        samples.withUnsafeMutableBufferPointer {
            stamp.draw(into: StampedPlane($0.baseAddress!, stride: size.width, ink: 255, outline: 0))
        }
        return samples
    }

    @Test(arguments: [PhotoOrientation.up, .right, .downMirrored, .left])
    func itIsUprightInAPictureThatIsTurned(orientation: PhotoOrientation) throws {
        let plain = try photo(nil, .png, orientation), drawn = try photo(.usual, .png, orientation)
        #expect(drawn.plain == plain.bytes && plain.plain == nil && drawn.date == .usual && plain.date == nil)
        let size = orientation.shown(Self.size)
        #expect(try samples(drawn.bytes, size) == dated(samples(plain.bytes, size), size))
        #expect(drawn.provenance?.contains(#""date":"%Y-%m-%d %H:%M:%S""#) == true)
        #expect(plain.provenance?.contains(#""date""#) == false)
    }

    /// Readers turn a JPEG, and its date with it.
    @Test func itIsTurnedLikeAJPEGThatReadersTurn() throws {
        let plain = try photo(nil, .jpeg, .right), drawn = try photo(.usual, .jpeg, .right)
        // As readers turn it.
        let size = PhotoOrientation.right.shown(Self.size)
        let mark = dated([UInt8](repeating: 1, count: size.area), size)
        let found = try samples(drawn.bytes, size), before = try samples(plain.bytes, size)
        var wrong = 0
        for place in mark.indices {
            let isRight: Bool =
                switch mark[place] {
                case 255: found[place] > 225
                case 0: found[place] < 30
                default: abs(Int(found[place]) - Int(before[place])) < 40
                }
            if !isRight { wrong += 1 }
        }
        // Compression blurs a few.
        #expect(wrong < 20, "\(wrong) pixels")
    }

    @Test func anotherFormatIsDrawn() throws {
        let format = try #require(DateFormat("%H:%M"))
        #expect(try photo(format).bytes != photo(.usual).bytes)
        #expect(try photo(format).plain == photo(.usual).plain)
    }

    @Test func whereTheTimeIsUnknownThePhotoIsPlain() throws {
        let drawn = try photo(.usual, isKnown: false), plain = try photo(nil, isKnown: false)
        #expect(drawn.bytes == plain.bytes && drawn.plain == nil && drawn.date == nil)
        #expect(drawn.notes.contains { $0.contains("no date is drawn") })
    }

    @Test func aFrameAsItCameHasNone() {
        #expect(PhotoSettings(quality: .single, date: .usual).problem != nil)
        #expect(PhotoSettings(quality: .speed, date: .usual).problem == nil)
    }

    @Test func whoAsksForAFrameAsItCameGetsAFusedOneWithItsDate() throws {
        let intent = try TapIntent(body: Array(#"{"quality":"single"}"#.utf8))
        #expect(PhotoSettings(date: .usual).changed(by: intent).quality == .speed)
        #expect(PhotoSettings().changed(by: intent).quality == .single)
    }

    @Test func itIsTakenBack() throws {
        let made = try photo(.usual), plain = try #require(made.plain)
        let files = try PhotoFiles(folder.file("a.png"), .png, count: 1, mayReplace: false)
        _ = try made.written(to: files)
        #expect(folder.names == ["a.plain.png", "a.png"])
        let kept = try KeptPicture(folder.file("a.png"))
        #expect(kept.path == folder.file("a.plain.png"))
        let back = try kept.photo(PhotoSettings(format: .png), threads: 1, level: nil)
        #expect(back.bytes == plain)
        try FileManager.default.removeItem(atPath: folder.file("a.plain.png"))
        #expect(throws: PhotoError.self) { try KeptPicture(folder.file("a.png")) }
    }

    @Test func aFileThatIsReplacedAgainAndAgainIsAlone() throws {
        let files = try PhotoFiles(folder.file("now.png"), .png, count: 1, mayReplace: true, keepsPlain: false)
        _ = try photo(.usual).written(to: files)
        #expect(folder.names == ["now.png"])
    }
}
