// SPDX-License-Identifier: MIT
// Pictures of a library's photos in the size that was asked for.

import LivecapFrames
import LivecapJPEG
import LivecapPhotoStorage
import LivecapPictures
import LivecapStills
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite(.timeLimit(.usual)) struct SizedImageTests {
    private let folder: PhotoFolder
    private let library: PhotoLibrary
    private static let red: [UInt8] = [200, 20, 20]
    private static let blue: [UInt8] = [20, 20, 200]

    init() throws {
        folder = try PhotoFolder()
        library = try PhotoLibrary(folder.file("library"))
    }

    /// A file of a picture, 64 by 32, that is red in its left half and blue in its right one, and its orientation.
    private func file(_ orientation: PhotoOrientation = .up, isPNG: Bool = false) throws -> [UInt8] {
        let size = FrameSize(width: 64, height: 32)
        let pixels = (0..<size.area).flatMap { $0 % 64 < 32 ? Self.red : Self.blue }
        var metadata = PhotoMetadata()
        metadata.orientation = orientation
        if isPNG { return try PNGEncoder().encode(rgb24: pixels, size: size, .sRGB, metadata: metadata) }
        var encoder = try JPEGEncoder()
        return try encoder.encodeRGB(pixels.span.bytes, size: size, sampling: .s444, quality: 95) {
            metadata.inserted(intoJPEG: $0)
        }
    }

    private func add(_ bytes: [UInt8], _ format: StillFormat = .jpeg) throws -> PhotoID {
        let photo = NewPhoto(
            tap: .zero, reference: .zero,
            taken: CalendarTime(utcNanoseconds: 1_795_293_015_042_000_000, zoneOffsetSeconds: 3600), format: format,
            size: FrameSize(width: 64, height: 32), qualityAsked: .speed, qualityGiven: .speed, request: "{}",
            provenance: "{}", thumbnail: try file())
        return try library.addFinished(photo, bytes).id
    }

    /// The colour of a pixel of a picture of red, green and blue bytes.
    private func color(_ image: SizedImage, _ x: Int, _ y: Int) -> [UInt8] {
        let first = 3 * (y * image.format.size.width + x)
        return Array(image.bytes[first..<(first + 3)])
    }

    private func isNear(_ a: [UInt8], _ b: [UInt8]) -> Bool { zip(a, b).allSatisfy { abs(Int($0) - Int($1)) < 16 } }

    @Test(arguments: [
        // Within the size, in the photo's own shape.
        (FrameSize(width: 320, height: 320), ContentMode.fit, FrameSize(width: 320, height: 180)),
        (FrameSize(width: 100, height: 20), .fit, FrameSize(width: 36, height: 20)),
        (FrameSize(width: 1, height: 1), .fit, FrameSize(width: 1, height: 1)),
        (FrameSize(width: 9999, height: 9999), .fit, FrameSize(width: 640, height: 360)),
        // All of the size.
        (FrameSize(width: 100, height: 100), .fill, FrameSize(width: 100, height: 100)),
        (FrameSize(width: 640, height: 10), .fill, FrameSize(width: 640, height: 10)),
        // Of a photo that is too small for it: of its shape.
        (FrameSize(width: 720, height: 720), .fill, FrameSize(width: 360, height: 360)),
        (FrameSize(width: 1280, height: 1), .fill, FrameSize(width: 640, height: 1)),
    ])
    func theSizeIsWhatThePhotoAllows(asked: FrameSize, mode: ContentMode, expected: FrameSize) {
        #expect(ImageSettings(size: asked, mode: mode).size(of: FrameSize(width: 640, height: 360)) == expected)
    }

    @Test(arguments: PhotoOrientation.allCases, [false, true])
    func everyFileIsShownUpright(orientation: PhotoOrientation, isPNG: Bool) throws {
        let id = try add(file(orientation, isPNG: isPNG), isPNG ? .png : .jpeg)
        let image = try library.image(of: id, ImageSettings(size: FrameSize(width: 16, height: 16), format: .rgb24))
        let shown = orientation.shown(FrameSize(width: 16, height: 8))
        try #require(image.format.size == shown && image.kind == .final)
        // Where the left half of the file is shown.
        let first: (x: Int, y: Int) =
            switch orientation {
            case .up, .downMirrored: (1, 4)
            case .down, .upMirrored: (14, 4)
            case .right, .leftMirrored: (4, 1)
            case .left, .rightMirrored: (4, 14)
            }
        let last = (x: shown.width - 1 - first.x, y: shown.height - 1 - first.y)
        #expect(isNear(color(image, first.x, first.y), Self.red), "\(color(image, first.x, first.y))")
        #expect(isNear(color(image, last.x, last.y), Self.blue), "\(color(image, last.x, last.y))")
    }

    @Test func fillingCutsBothSidesEqually() throws {
        let image = try library.image(
            of: add(file()), ImageSettings(size: FrameSize(width: 8, height: 8), mode: .fill, format: .rgb24))
        #expect(image.format.size == FrameSize(width: 8, height: 8))
        #expect(isNear(color(image, 0, 4), Self.red) && isNear(color(image, 7, 4), Self.blue))
    }

    @Test func aJPEGPictureKeepsTheMoment() throws {
        let image = try library.image(of: add(file(.right)), ImageSettings(size: FrameSize(width: 20, height: 20)))
        let picture = try DecodedPicture(image.bytes)
        #expect(picture.format.size == FrameSize(width: 10, height: 20) && picture.orientation == .up)
        // An hour ahead of UTC.
        let words = String(decoding: image.bytes.prefix(600), as: UTF8.self)
        #expect(words.contains("2026:11:21 21:30:15"))
    }

    @Test func theThumbnailComesFirstAndIsNotEnlarged() async throws {
        let id = try add(file())
        var kinds: [LibraryImage.Kind] = []
        for try await image in library.images(of: id, ImageSettings(size: FrameSize(width: 500, height: 32))) {
            kinds.append(image.kind)
            #expect(image.format.size == FrameSize(width: 64, height: 32) && image.photo.id == id)
        }
        #expect(kinds == [.degraded, .final])
    }

    @Test func aPictureOfASessionsPhotoNamesTheCamera() async throws {
        let session = try fastSession("object:frames=4,seed=5", size: FrameSize(width: 48, height: 32)) {
            $0.library = library
        }
        defer { session.end() }
        let capture = session.photoOutput.capture(PhotoSettings(quality: .speed), at: .offset(.zero))
        session.begin()
        let photo = try await capture.photo()
        let id = try #require(photo.libraryID)
        let image = try await library.image(of: id, ImageSettings(size: FrameSize(width: 24, height: 24)))
        #expect(image.format.size == FrameSize(width: 24, height: 16))
        let words = String(decoding: image.bytes.prefix(600), as: UTF8.self)
        #expect(words.contains(session.source.name), "\(session.source.name)")
    }

    @Test func errorsSayWhatIsWrong() throws {
        let settings = ImageSettings(size: FrameSize(width: 20, height: 20))
        let damaged = try add([1, 2, 3])
        #expect(throws: PhotoError.notDecoded(.undecodable("it is no JPEG, PNG or HEIC file"))) {
            try library.image(of: damaged, settings) as SizedImage
        }
        #expect(throws: PhotoError.notKept(.noSuchPhoto(PhotoID(number: 99)))) {
            try library.image(of: PhotoID(number: 99), settings) as SizedImage
        }
        let whole = try add(file())
        #expect {
            try library.image(of: whole, ImageSettings(size: settings.size, format: .jpeg(quality: 0))) as SizedImage
        } throws: {
            if case .badSettings? = $0 as? PhotoError { true } else { false }
        }
    }
}
