// SPDX-License-Identifier: MIT
// Photos with effects: two files that come together, and effects that are taken back or replaced.

import Foundation
import Fusion
import LivecapDetection
import LivecapEffects
import LivecapFrames
import LivecapStills
import Testing

@testable import LivecapDeveloping

private let areNetsInstalled = (try? Nets().open(.matte)) != nil && (try? Nets().open(.faces)) != nil

@Suite(.enabled(if: areNetsInstalled, "'make effects' fetches the nets"))
struct EffectPhotoTests {
    private let folder: PhotoFolder
    private static let green = EffectSettings(background: .colour(red: 0, green: 255, blue: 0))

    init() throws { folder = try PhotoFolder() }

    /// One JPEG frame: a photograph of a woman, which NASA took; it is in the public domain.
    private func burst() throws -> KeptBurst {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Support/Pictures/astronaut.jpg")
        let bytes = [UInt8](try Data(contentsOf: path))
        let format = FrameFormat(pixelFormat: .mjpeg, size: FrameSize(width: 640, height: 360))
        let frame = FrameMetadata(
            time: .zero, byteCount: bytes.count, sequence: 0, timeSource: .file, uncertainty: .zero,
            id: FrameID(epoch: 0, counter: 0))
        return KeptBurst(
            SourceDescription(name: "her", identity: "her", format: format, rate: nil, clock: .own),
            [UnreadFrame(frame) { () throws(PhotoError) in bytes }])
    }

    private func photo(_ effects: EffectSettings?, _ format: StillFormat = .png) throws -> Photo {
        try burst().photo(
            PhotoSettings(quality: .mean, frames: 1, format: format, effects: effects), threads: 2)
    }

    /// The middle of the first row of a picture: what is behind her.
    private func corner(_ file: [UInt8]) throws -> [UInt8] {
        let picture = try ImageSettings(
            size: FrameSize(width: 640, height: 360), format: .rgb24
        ).picture(of: file, PhotoMetadata())
        return Array(picture.bytes.prefix(3))
    }

    @Test(arguments: StillFormat.allCases.filter { $0 != .heic })
    func aPhotoWithEffectsHasThePhotoThatItWouldBe(_ format: StillFormat) throws {
        let (plain, drawn) = (try photo(nil, format), try photo(Self.green, format))
        #expect(drawn.plain == plain.bytes && drawn.bytes != plain.bytes)
        #expect(plain.plain == nil && plain.effects == nil && plain.mask == nil)
        #expect(drawn.effects == Self.green)
        let color = try corner(drawn.bytes)
        #expect(color[0] < 8 && color[1] > 247 && color[2] < 8, "\(color)")
        #expect(drawn.provenance?.contains(#""effects":"background=#00ff00""#) == true)
        #expect(plain.provenance?.contains("effects") == false)
        let mask = try DecodedPicture(try #require(drawn.mask))
        #expect(mask.format.size == FrameSize(width: 160, height: 90))
        #expect(mask.bytes[0] == 0 && mask.bytes[3 * (40 * 160 + 70)] == 255)
    }

    @Test func framingAloneIsNoEffectOfAPhoto() throws {
        #expect(try photo(EffectSettings(framing: 1)).bytes == photo(nil).bytes)
    }

    @Test func aFrameAsItCameHasNone() {
        let settings = PhotoSettings(quality: .single, effects: Self.green)
        #expect(settings.problem != nil)
        #expect(PhotoSettings(quality: .single, effects: EffectSettings(framing: 1)).problem == nil)
    }

    // MARK: Files

    @Test func bothFilesAreThere() throws {
        let made = try photo(Self.green, .jpeg)
        let files = try PhotoFiles(folder.path + "/", .jpeg, count: 2, mayReplace: false)
        let written = try made.written(to: files)
        #expect(written.file == folder.file("livecap-0001.jpg"))
        #expect(written.plainFile == folder.file("livecap-0001.plain.jpg"))
        #expect(folder.names == ["livecap-0001.jpg", "livecap-0001.plain.jpg"])
        #expect(folder.bytes("livecap-0001.jpg") == made.bytes && folder.bytes("livecap-0001.plain.jpg") == made.plain)
        #expect(written.bytes.isEmpty && written.plain == [])
    }

    /// Its photo may have been deleted.
    @Test func aPlainPictureThatIsThereIsNotReplaced() throws {
        folder.put([7], "livecap-0001.plain.jpg")
        let files = try PhotoFiles(folder.path + "/", .jpeg, count: 2, mayReplace: false)
        #expect(try photo(Self.green, .jpeg).written(to: files).file == folder.file("livecap-0002.jpg"))
        #expect(folder.bytes("livecap-0001.plain.jpg") == [7])
        #expect(folder.names == ["livecap-0001.plain.jpg", "livecap-0002.jpg", "livecap-0002.plain.jpg"])
    }

    @Test func oneNameThatIsTakenLeavesNeither() throws {
        let files = try PhotoFiles(folder.file("a.jpg"), .jpeg, count: 1, mayReplace: false)
        try files.checkPlain()
        folder.put([7], "a.plain.jpg")
        #expect(throws: (any Error).self) { try files.checkPlain() }
        #expect(throws: (any Error).self) { try photo(Self.green, .jpeg).written(to: files) }
        #expect(folder.names == ["a.plain.jpg"] && folder.bytes("a.plain.jpg") == [7])
        let other = try PhotoFiles(folder.file("b.jpg"), .jpeg, count: 1, mayReplace: false)
        folder.put([8], "b.jpg")
        #expect(throws: (any Error).self) { try photo(Self.green, .jpeg).written(to: other) }
        #expect(folder.names == ["a.plain.jpg", "b.jpg"] && folder.bytes("b.jpg") == [8])
    }

    // MARK: Pictures as files

    private func redraw(_ name: String, _ effects: EffectSettings, _ format: StillFormat = .jpeg) throws -> Photo {
        try KeptPicture(folder.file(name)).photo(
            PhotoSettings(format: format, effects: effects), threads: 1, level: nil)
    }

    @Test func effectsAreTakenBackAndReplaced() throws {
        let made = try photo(Self.green, .jpeg)
        _ = try made.written(to: PhotoFiles(folder.file("her.jpg"), .jpeg, count: 1, mayReplace: false))
        #expect(try redraw("her.jpg", EffectSettings()).bytes == made.plain)
        #expect(try redraw("her.plain.jpg", EffectSettings()).bytes == made.plain)
        let other = try redraw("her.jpg", EffectSettings(background: .colour(red: 255, green: 0, blue: 0)))
        let color = try corner(other.bytes)
        #expect(color[0] > 240 && color[1] < 12, "\(color)")
        let inspection = try #require(PhotoInspection(other.bytes))
        // What is known of how it was made stays, but for the effects.
        #expect(inspection.provenance?.contains(#""effects":"background=#ff0000""#) == true)
        #expect(inspection.provenance?.contains(#""name":"her""#) == true)
        #expect(try redraw("her.jpg", EffectSettings(), .png).format == .png)
    }

    @Test func withoutItsPlainPictureItCannotBeTakenBack() throws {
        folder.put(try photo(Self.green, .jpeg).bytes, "her.jpg")
        #expect(throws: PhotoError.self) { try KeptPicture(folder.file("her.jpg")) }
        folder.put([1, 2, 3], "none.jpg")
        #expect(throws: PhotoError.self) { try KeptPicture(folder.file("none.jpg")) }
    }

    /// The samples of a PNG or HEIC file as they are drawn into.
    private func planes(_ file: [UInt8]) throws -> [[UInt16]] {
        let picture = try #require(try FinePicture(file)).picture()
        return withExtendedLifetime(picture) { picture.planes.map { Array($0.samples) } }
    }

    /// The samples of a plane in the middle of her face.
    private func face(_ plane: [UInt16]) -> [UInt16] {
        (140..<180).flatMap { y in (255..<300).map { plane[y * 640 + $0] } }
    }

    @Test func aPNGOf16BitsKeepsThem() throws {
        let before = try photo(nil, .png).bytes
        folder.put(before, "fine.png")
        let drawn = try redraw("fine.png", Self.green, .png)
        let color = try corner(drawn.bytes)
        #expect(color[0] < 8 && color[1] > 247 && color[2] < 8, "\(color)")
        let (old, new) = (try planes(before), try planes(drawn.bytes))
        #expect(old.map(face) == new.map(face))
        // Eight bits would have at most 256 levels.
        #expect(Set(old[0]).count > 256 && Set(new[0].filter { $0 != new[0][0] }).count > 256)
        #expect(drawn.mask != nil && drawn.effects == Self.green && drawn.plain == nil)
        #expect(drawn.provenance?.contains(#""effects":"background=#00ff00""#) == true)
        #expect(drawn.size == FrameSize(width: 640, height: 360) && drawn.byteCount == drawn.bytes.count)
        let eight = try KeptPicture(folder.file("fine.png")).photo(
            PhotoSettings(format: .png, depth: .eight, effects: Self.green), threads: 2, level: nil)
        #expect(try FinePicture(eight.bytes)?.bits == 8)
    }

    @Test(.enabled(if: StillFormat.heic.lack == nil, "HEIC needs libheif"))
    func aHEICOfTenBitsKeepsThem() throws {
        let before = try photo(nil, .heic).bytes
        folder.put(before, "fine.heic")
        let drawn = try redraw("fine.heic", Self.green, .heic)
        let color = try corner(drawn.bytes)
        #expect(color[0] < 20 && color[1] > 235 && color[2] < 20, "\(color)")
        let fine = try #require(try FinePicture(drawn.bytes))
        #expect(fine.bits == 10)
        #expect(try fine.colours == FinePicture(before)?.colours)
        // HEVC loses a little once more.
        let (old, new) = (try planes(before), try planes(drawn.bytes))
        for plane in 0..<3 {
            let apart = zip(face(old[plane]), face(new[plane])).map { abs(Double($0) - Double($1)) / 256 }
            #expect(apart.reduce(0, +) / Double(apart.count) < 2)
        }
        #expect(try redraw("fine.heic", Self.green, .jpeg).format == .jpeg)
    }

    @Test func anyPictureCanHaveThem() throws {
        folder.put(try photo(nil, .png).bytes, "any.png")
        let color = try corner(redraw("any.png", Self.green, .png).bytes)
        #expect(color[0] < 8 && color[1] > 247 && color[2] < 8, "\(color)")
    }
}

@Suite struct PlainPictureTests {
    @Test(arguments: [
        ("a.jpg", "a.plain.jpg"), ("/x.y/a-001.heic", "/x.y/a-001.plain.heic"), ("./b.c.png", "./b.c.plain.png"),
    ])
    func itHasTheNameOfItsPhoto(_ photo: String, _ plain: String) {
        #expect(PlainPicture.path(of: photo) == plain)
        #expect(PlainPicture.isPath(plain) && !PlainPicture.isPath(photo))
    }
}

@Suite struct EffectSettingsOfPhotosTests {
    @Test func theyAreThoseOfTheBoardAtThatMoment() {
        let board = EffectBoard(EffectSettings(light: 0.5)), usual = PhotoSettings(effects: EffectSettings(light: 1))
        #expect(usual.withEffects(of: board).effects == EffectSettings(light: 0.5))
        board.set(EffectSettings(portrait: 0.25, framing: 1, brighten: 1, gestures: true))
        #expect(usual.withEffects(of: board).effects == EffectSettings(portrait: 0.25))
        board.set(EffectSettings())
        #expect(usual.withEffects(of: board).drawnEffects == nil)
        #expect(usual.withEffects(of: nil) == usual)
    }

    @Test func whatHidesTheRoomOnABoardIsDrawnAlone() {
        let green = EffectSettings.Background.colour(red: 0, green: 255, blue: 0), plain = PhotoSettings()
        let board = EffectBoard(EffectSettings(portrait: 0.25, light: 0.5, background: green, framing: 1, brighten: 1))
        let hidden = plain.hidingRoom(as: board)
        #expect(hidden.effects == EffectSettings(portrait: 0.25, background: green))
        var single = plain
        single.quality = .single
        #expect(single.hidingRoom(as: board).quality == .speed)
        board.set(EffectSettings(light: 0.5, framing: 1, gestures: true))
        #expect(plain.hidingRoom(as: board) == plain && plain.hidingRoom(as: nil) == plain)
    }
}

@Suite struct UndrawnEffectTests {
    private static let settings = PhotoSettings(
        quality: .mean, frames: 1, format: .png,
        effects: EffectSettings(background: .colour(red: 0, green: 255, blue: 0)))

    private func burst(_ format: FrameFormat, _ bytes: [UInt8]) -> KeptBurst {
        let frame = FrameMetadata(
            time: .zero, byteCount: bytes.count, sequence: 0, timeSource: .file, uncertainty: .zero,
            id: FrameID(epoch: 0, counter: 0))
        return KeptBurst(
            SourceDescription(name: "it", identity: "it", format: format, rate: nil, clock: .own),
            [UnreadFrame(frame) { () throws(PhotoError) in bytes }])
    }

    private func code(_ settings: PhotoSettings, _ format: FrameFormat, _ bytes: [UInt8]) -> String? {
        do throws(PhotoError) {
            _ = try burst(format, bytes).photo(settings, threads: 1)
            return nil
        } catch { return error.code }
    }

    /// Frames that are too small to be merged become pictures as they came, which shows what was to be hidden.
    @Test func aPhotoThatCannotHaveItsEffectsFails() {
        let format = FrameFormat(pixelFormat: .rgb24, size: FrameSize(width: 3, height: 2))
        let bytes = [UInt8](repeating: 7, count: 18)
        #expect(code(Self.settings, format, bytes) == "effects-missing")
        for effects in [nil, EffectSettings(), EffectSettings(framing: 1)] {
            var settings = Self.settings
            settings.effects = effects
            #expect(code(settings, format, bytes) == nil)
        }
    }

    /// An earlier photo of the same name has left its plain picture behind: it may show somebody else.
    @Test func aPictureWithoutEffectsIsUsedItself() throws {
        let folder = try PhotoFolder()
        let format = FrameFormat(pixelFormat: .rgb24, size: FrameSize(width: 32, height: 16))
        var plain = Self.settings
        plain.effects = nil
        let old = try burst(format, [UInt8](repeating: 7, count: 3 * 512)).photo(plain, threads: 1).bytes
        let new = try burst(format, [UInt8](repeating: 200, count: 3 * 512)).photo(plain, threads: 1).bytes
        folder.put(old, "me.plain.png")
        folder.put(new, "me.png")
        #expect(try KeptPicture(folder.file("me.png")).path == folder.file("me.png"))
        let back = try KeptPicture(folder.file("me.png")).photo(plain, threads: 1, level: nil)
        #expect(try DecodedPicture(back.bytes).bytes == DecodedPicture(new).bytes)
        #expect(folder.bytes("me.plain.png") == old)
    }

    @Test func aPlainPictureIsNotReplaced() throws {
        let folder = try PhotoFolder()
        let format = FrameFormat(pixelFormat: .rgb24, size: FrameSize(width: 32, height: 16))
        var plain = Self.settings
        plain.effects = nil
        let bytes = try burst(format, [UInt8](repeating: 7, count: 3 * 512)).photo(plain, threads: 1).bytes
        for name in ["me.plain.png", "any.png"] { folder.put(bytes, name) }
        let mine = try KeptPicture(folder.file("me.plain.png")), any = try KeptPicture(folder.file("any.png"))
        #expect(throws: PhotoError.self) { try mine.checkTarget(folder.file("me.plain.png")) }
        #expect(throws: PhotoError.self) { try mine.checkTarget(folder.path + "/./me.plain.png") }
        for target in [folder.file("any.png"), folder.file("new.png"), nil] { try mine.checkTarget(target) }
        try any.checkTarget(folder.file("any.png"))
    }

    @Test func aTinyPictureIsNotPassedOffAsDrawn() throws {
        let folder = try PhotoFolder()
        let format = FrameFormat(pixelFormat: .rgb24, size: FrameSize(width: 3, height: 2))
        var plain = Self.settings
        plain.effects = nil
        folder.put(try burst(format, [UInt8](repeating: 7, count: 18)).photo(plain, threads: 1).bytes, "tiny.png")
        let picture = try KeptPicture(folder.file("tiny.png"))
        #expect(throws: PhotoError.self) { try picture.photo(Self.settings, threads: 1, level: nil) }
        #expect(try picture.photo(plain, threads: 1, level: nil).effects == nil)
    }
}

@Suite struct UntouchedFileTests {
    private static let format = FrameFormat(pixelFormat: .i420, size: FrameSize(width: 32, height: 16))

    /// A fused still of fractions of codes.
    private func still() throws -> FusedPicture {
        let picture = try FusedPicture(Self.format.size, .quads, .jpeg, level: nil)
        for plane in picture.planes {
            for place in plane.samples.indices { plane.samples[place] = UInt16(100 << 8 + 77 * place % 5000) }
        }
        return picture
    }

    private func photo(
        _ file: [UInt8], _ name: String, _ settings: PhotoSettings
    ) throws -> Photo {
        let folder = try PhotoFolder()
        folder.put(file, name)
        return try KeptPicture(folder.file(name)).photo(settings, threads: 1, level: nil)
    }

    @Test(arguments: [EffectSettings(), EffectSettings(framing: 1), nil])
    func aPNGIsAsItWas(_ effects: EffectSettings?) throws {
        let file = try PNGEncoder().encode(still())
        let made = try photo(file, "a.png", PhotoSettings(format: .png, effects: effects))
        #expect(made.bytes == file && made.byteCount == file.count && made.effects == nil)
        let sixteen = try photo(file, "a.png", PhotoSettings(format: .png, depth: .sixteen, effects: effects))
        #expect(sixteen.bytes == file)
        // Rounded, it is another file.
        let eight = try photo(file, "a.png", PhotoSettings(format: .png, depth: .eight, effects: effects)).bytes
        #expect(try FinePicture(eight)?.bits == 8)
        #expect(try DecodedPicture(eight).bytes == DecodedPicture(PNGEncoder(depth: .eight).encode(still())).bytes)
        #expect(try photo(eight, "a.png", PhotoSettings(format: .png, effects: effects)).bytes == eight)
        let jpeg = try photo(file, "a.png", PhotoSettings(format: .jpeg, effects: effects))
        #expect(try DecodedPicture(jpeg.bytes).format.size == Self.format.size)
    }

    @Test(.enabled(if: StillFormat.heic.lack == nil, "HEIC needs libheif"))
    func aHEICIsAsItWas() throws {
        let file = try HEICEncoder(depth: .ten, quality: 80).encode(still())
        let none = EffectSettings()
        #expect(try photo(file, "a.heic", PhotoSettings(format: .heic, effects: none)).bytes == file)
        #expect(try photo(file, "a.heic", PhotoSettings(format: .heic, depth: .ten, effects: none)).bytes == file)
        let other = try photo(file, "a.heic", PhotoSettings(format: .heic, encodeQuality: 50, effects: none)).bytes
        #expect(try other != file && FinePicture(other)?.bits == 10)
        let eight = try photo(file, "a.heic", PhotoSettings(format: .heic, depth: .eight, effects: none)).bytes
        #expect(try FinePicture(eight)?.bits == 8)
        let png = try photo(file, "a.heic", PhotoSettings(format: .png, effects: none)).bytes
        #expect(try FinePicture(png)?.bits == 16)
    }

    @Test func aTinyFileIsNotPassedOffAsDrawn() throws {
        let file = try PNGEncoder().encode(
            FusedPicture(FrameSize(width: 15, height: 40), .singles, .jpeg, level: nil))
        let settings = PhotoSettings(
            format: .png, effects: EffectSettings(background: .colour(red: 0, green: 255, blue: 0)))
        #expect { try photo(file, "tiny.png", settings) } throws: { ($0 as? PhotoError)?.code == "effects-missing" }
        #expect(try photo(file, "tiny.png", PhotoSettings(format: .png)).bytes == file)
    }
}

@Suite struct EffectAccountTests {
    /// Files are passed on, and names of folders say who somebody is.
    @Test func aPhotosFileSaysNoPath() {
        let effects = EffectSettings(light: 0.5, background: .picture(path: "/home/anna/private/beach.jpg"))
        let settings = PhotoSettings(effects: effects)
        #expect(settings.account.text.contains("beach.jpg") && !settings.account.text.contains("anna"))
        #expect(EffectSettings(portrait: 1).listForFiles == "portrait=1")
    }
}
