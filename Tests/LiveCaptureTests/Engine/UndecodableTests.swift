// SPDX-License-Identifier: MIT
// Frames with valid markers and broken data never become a picture.

import LivecapFrames
import LivecapJPEG
import LivecapStills
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite(.timeLimit(.usual)) struct UndecodableTests {
    private let format = FrameFormat(pixelFormat: .mjpeg, size: FrameSize(width: 32, height: 32))

    /// A desk with frames 0 to 9, 10 ms apart. Those in `broken` do not decode.
    private func desk(broken: ClosedRange<Int>) throws -> HandDrivenDesk {
        let driven = try HandDrivenDesk(format: format) { $0.formats = Set(StillFormat.allCases) }
        for number in 0..<10 {
            let picture = try jpegPicture(format.size, seed: UInt8(number))
            driven.frame(at: Double(10 * number), bytes: broken.contains(number) ? try cut(picture) : picture)
        }
        return driven
    }

    @Test(arguments: PhotoQuality.allCases) func aNeighbourStandsIn(quality: PhotoQuality) async throws {
        let driven = try desk(broken: 7...7)
        let shot = driven.tap(at: 71, PhotoSettings(quality: quality))
        driven.work()
        let photo = try await shot.photo()
        #expect(photo.reference.id.counter == 8)
        #expect(photo.rejected.contains { $0.id.counter == 7 && $0.reason.contains("premature end") })
        #expect(photo.notes.contains("frame 0:7 cannot be decoded: the picture shows 0:8"))
        if quality == .single { #expect(try photo.bytes == jpegPicture(format.size, seed: 8)) }
        #expect(driven.isAtRest())
    }

    @Test(arguments: PhotoQuality.allCases, StillFormat.allCases) func nothingFartherThanAFrameStandsIn(
        quality: PhotoQuality, format: StillFormat
    ) async throws {
        let driven = try desk(broken: 6...8)
        let shot = driven.tap(at: 70, PhotoSettings(quality: quality, format: format))
        driven.work()
        // Only one frame and its neighbours are tried in this case, and none of them decodes.
        let code = quality.usesOneFrame ? "undecodable" : "no-frame"
        let failure = await shot.failure()
        #expect(failure?.code == code)
        #expect(failure?.message.contains("premature end") ?? false, "\(failure?.message ?? "")")
        #expect(driven.isAtRest())
    }

    /// The sharpest frame may be any frame, not only one near the moment.
    @Test func theSharpestIsOneOfThoseThatDecode() async throws {
        let driven = try desk(broken: 5...8)
        let shot = driven.tap(at: 70, PhotoSettings(quality: .mean, reference: .sharpest))
        driven.work()
        #expect(try await shot.photo().reference.id.counter < 5)
    }

    @Test(arguments: PhotoQuality.allCases, StillFormat.allCases) func whereNoneDecodesThereIsNoPhoto(
        quality: PhotoQuality, format: StillFormat
    ) async throws {
        let driven = try desk(broken: 0...9)
        let shot = driven.tap(at: 70, PhotoSettings(quality: quality, format: format))
        driven.work()
        guard case .undecodable(let reason)? = await shot.failure() else { return _ = Issue.record("there is a photo") }
        #expect(reason.contains("premature end"), "\(reason)")
        #expect(driven.isAtRest())
    }

    /// Fusion does not support this chroma sampling (4:1:1). The frames are still decoded as a check,
    /// and delivered as they came.
    @Test func unmergeableFramesAreDeliveredUnchanged() async throws {
        let driven = try HandDrivenDesk(format: format)
        let picture = try jpegPicture(format.size, .s411)
        for number in 0..<10 { driven.frame(at: Double(10 * number), bytes: number == 7 ? try cut(picture) : picture) }
        for (tap, expected) in [(40.0, 4), (71, 8)] as [(Double, UInt64)] {
            let shot = driven.tap(at: tap, PhotoSettings(quality: .mean))
            driven.work()
            let photo = try await shot.photo()
            #expect(photo.qualityGiven == .single && photo.used.map(\.frame.id.counter) == [expected])
            #expect(photo.notes.contains { $0.contains("can be merged") })
            #expect(photo.bytes == picture)
        }
        #expect(driven.isAtRest())
    }
}

/// A picture that resembles noise, so that its data take many bytes.
func jpegPicture(_ size: FrameSize, _ sampling: ChromaSampling = .s422, seed: UInt8 = 0) throws -> [UInt8] {
    let pixels = (0..<(3 * size.area)).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) / 2 &+ seed }
    var encoder = try JPEGEncoder()
    return try encoder.encodeRGB(pixels.span.bytes, size: size, sampling: sampling, quality: 90) { picture in
        picture.withUnsafeBytes { Array($0) }
    }
}

/// A picture with a valid start and end that lacks a part of its data.
func cut(_ picture: [UInt8]) throws -> [UInt8] {
    let structure = try #require(JPEGStructure.check(picture.span.bytes).structure)
    let cut = Array(picture[..<(structure.dataStart + (structure.end - structure.dataStart) * 2 / 3)]) + [0xFF, 0xD9]
    try #require(JPEGStructure.check(cut.span.bytes).damage == .none)
    return cut
}
