// SPDX-License-Identifier: MIT
// The reference `best`: a photo shows the frame with open eyes and sharp faces.

import Foundation
import Fusion
import LivecapDetection
import LivecapFrames
import LivecapJPEG
import LivecapStills
import Testing

@testable import LivecapDeveloping

@Suite struct BestFrameTests {
    private static let format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 64, height: 64))

    /// Chequered frames of these contrasts, which are how sharp they are. The photo is of the last.
    private func photo(
        _ contrasts: [Int], by finder: @escaping (_ frame: Int) throws(NetError) -> [FaceFacts]
    ) throws -> Photo {
        let source = SourceDescription(
            name: "them", identity: "them", format: Self.format, rate: FrameRate(30), clock: .own)
        let developer = try Developer(source, CallersThread(), level: .portable, links: FrameLinks())
        let frames = contrasts.enumerated().map { number, contrast in
            let bytes = (0..<Self.format.size.area).map { UInt8(128 + ($0 / 8 + $0 / 64 / 8) % 2 * contrast) }
            var times: [(name: String, time: Duration)] = []
            return ReadFrame(
                metadata: burstFrame(number, bytes.count),
                content: developer.content(
                    bytes.span.bytes, form: .prepared, shape: FrameShape(raw: Self.format), times: &times))
        }
        var asked = 0
        developer.faceFinder = { _ throws(NetError) in
            asked += 1
            return try finder(asked - 1)
        }
        let ids = frames.map(\.metadata.id), last = try #require(frames.last).metadata
        let request = PhotoRequest(
            shot: ShotID(number: 1), settings: PhotoSettings(quality: .speed, reference: .best, format: .png),
            tap: last.time, tapError: .zero, tapFrame: nil, quality: .speed, isPrioritized: true, frames: ids,
            nearest: last.id, spares: [], damaged: [], isExposureSettled: true, manual: ManualSettings(),
            wallTime: nil)
        return try developer.photo(of: request, frames)
    }

    private func face(open: Float) -> FaceFacts {
        FaceFacts(
            id: 1, box: PictureBox(origin: PicturePoint(x: 0.2, y: 0.2), width: 0.5, height: 0.5), confidence: 1,
            eyesOpen: .init(right: open, left: open))
    }

    @Test func openEyesAreBetterThanSharpness() throws {
        let photo = try photo([60, 30, 60]) { [face(open: $0 == 1 ? 1 : 0)] }
        #expect(photo.reference.id.counter == 1)
        #expect(!photo.notes.contains { $0.contains("faces") })
        #expect(photo.stages.contains { $0.name == "faces" })
    }

    @Test func amongOpenEyesTheSharpestFaceIsShown() throws {
        let photo = try photo([60, 30, 90, 40]) { [face(open: $0 == 2 ? 0 : 1)] }
        #expect(photo.reference.id.counter == 0)
    }

    @Test func withoutFacesItIsTheSharpest() throws {
        let photo = try photo([30, 60, 40]) { _ in [] }
        #expect(photo.reference.id.counter == 1 && photo.notes.isEmpty)
    }

    /// What is known of the first frames does not count then.
    @Test(arguments: [0, 2]) func ifFacesCannotBeLookedForItIsTheSharpestAndSaysSo(_ failing: Int) throws {
        let photo = try photo([30, 60, 40]) { frame throws(NetError) in
            if frame >= failing { throw .noMemory }
            return [face(open: frame == 0 ? 1 : 0)]
        }
        #expect(photo.reference.id.counter == 1)
        #expect(photo.notes == ["faces were not looked at: not enough memory for a neural net"])
    }

    @Test func aFrameAloneIsNotLookedAt() throws {
        let photo = try photo([30]) { _ throws(NetError) in throw .noMemory }
        #expect(photo.notes.isEmpty)
    }

    @Test func withoutNetsNoFacesAreLookedFor() throws {
        let fuser = try Fuser(Self.format), frame = fuser.makeFrame()
        let bytes = [UInt8](repeating: 128, count: Self.format.byteCount)
        try fuser.prepare(bytes.span.bytes, into: frame)
        let faces = FrameFaces(nil, by: LazyNets(in: []))
        #expect(throws: NetError.self) { try faces.faces(in: frame) }
        #expect(!faces.isLoaded)
    }
}

/// `make setup` fetches the nets, if it can.
private let areNetsInstalled =
    [NetModel.faces, .faceMesh].allSatisfy { model in (try? Nets().open(model)) != nil }

@Suite(.enabled(if: areNetsInstalled, "'make effects' fetches the nets"))
struct BestPhotographTests {
    private static let size = FrameSize(width: 640, height: 360)

    /// A photograph of a woman, which NASA took; it is in the public domain.
    private func photograph() throws -> [UInt8] {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Support/Pictures/astronaut.jpg")
        let jpeg = try Array(Data(contentsOf: path))
        let layout = try #require(PlanarLayout(size: Self.size, sampling: .s420))
        var planes = [UInt8](repeating: 0, count: layout.byteCount)
        var decoder = try JPEGDecoder()
        try planes.withUnsafeMutableBytes { _ = try decoder.decode(jpeg.span.bytes, to: layout, in: $0) }
        return planes
    }

    /// The photograph as it would be if she had moved: her face smeared, everything else as sharp as before, and more
    /// texture on the left.
    private func moved(_ sharp: [UInt8]) -> [UInt8] {
        var codes = sharp
        let width = Self.size.width
        for y in 70..<230 {
            for x in 200..<370 {
                let row = sharp[y * width + x - 6...y * width + x + 6]
                codes[y * width + x] = UInt8(row.reduce(0) { $0 + Int($1) } / 13)
            }
        }
        for y in 0..<Self.size.height {
            for x in 0..<120 { codes[y * width + x] = (x / 4 + y / 4) % 2 == 0 ? 60 : 200 }
        }
        return codes
    }

    private func photo(_ reference: ReferencePolicy) throws -> Photo {
        let format = FrameFormat(pixelFormat: .i420, size: Self.size, colorimetry: .jpeg), sharp = try photograph()
        let smeared = moved(sharp)
        let frames = [smeared, sharp, smeared].enumerated().map { number, bytes in
            UnreadFrame(burstFrame(number, bytes.count)) { () throws(PhotoError) in bytes }
        }
        let source = SourceDescription(
            name: "her", identity: "her", format: format, rate: FrameRate(30), clock: .own)
        return try KeptBurst(source, frames).photo(
            PhotoSettings(quality: .balanced, frames: 3, reference: reference, format: .png), threads: 1)
    }

    @Test func theSharpFaceIsShown() throws {
        let best = try photo(.best), sharpest = try photo(.sharpest)
        #expect(best.reference.id.counter == 1 && best.notes.isEmpty, "\(best.notes)")
        #expect(sharpest.reference.id.counter == 2)
    }

    // MARK: Formats

    /// The photograph in another format, without its last columns and rows.
    private func frame(_ pixels: PixelFormat, _ size: FrameSize) throws -> FusionFrame {
        let planes = try photograph(), width = Self.size.width
        func luma(_ x: Int, _ y: Int) -> UInt8 { planes[y * width + x] }
        func chroma(_ plane: Int, _ x: Int, _ y: Int) -> UInt8 {
            planes[Self.size.area + plane * Self.size.area / 4 + y / 2 * (width / 2) + x / 2]
        }
        let places = (0..<size.area).map { (x: $0 % size.width, y: $0 / size.width) }
        let bytes: [UInt8] =
            switch pixels {
            case .yuyv: places.flatMap { [luma($0.x, $0.y), chroma($0.x % 2, $0.x, $0.y)] }
            case .rgb24: places.flatMap { [UInt8](repeating: luma($0.x, $0.y), count: 3) }
            default: places.map { luma($0.x, $0.y) }
            }
        let fuser = try Fuser(FrameFormat(pixelFormat: pixels, size: size, colorimetry: .jpeg))
        let frame = fuser.makeFrame()
        try fuser.prepare(bytes.span.bytes, into: frame)
        return frame
    }

    @Test(arguments: [
        (PixelFormat.yuyv, size), (.rgb24, FrameSize(width: 639, height: 359)),
        (.grey, FrameSize(width: 637, height: 355)),
    ])
    func facesAreFoundInAllFormats(_ pixels: PixelFormat, _ size: FrameSize) throws {
        let finder = FrameFaces(nil), frame = try frame(pixels, size)
        let faces = try finder.faces(in: frame)
        try #require(faces.count == 1)
        #expect(finder.isLoaded && faces[0].eyesOpen?.areOpen == true)
        let box = faces[0].box, found = [box.origin.x, box.origin.y, box.width, box.height]
        for (found, known) in zip(found, [0.337, 0.235, 0.2, 0.356] as [Float]) {
            #expect(abs(found - known) < 0.02, "\(box)")
        }
    }

    /// One after the other, with the same memory.
    @Test func aFrameOwesNothingToTheOneBefore() throws {
        let finder = FrameFaces(nil), her = try frame(.yuyv, Self.size)
        let fuser = try Fuser(her.format), nobody = fuser.makeFrame()
        let bytes = [UInt8](repeating: 128, count: her.format.byteCount)
        try fuser.prepare(bytes.span.bytes, into: nobody)
        let first = try finder.faces(in: her)
        #expect(try finder.faces(in: nobody) == [])
        let again = try finder.faces(in: her)
        #expect(again.count == 1 && again.map(\.box) == first.map(\.box))
        #expect(again.map(\.eyesOpen) == first.map(\.eyesOpen))
    }
}

/// A frame of a burst at 30 frames a second.
private func burstFrame(_ number: Int, _ byteCount: Int) -> FrameMetadata {
    FrameMetadata(
        time: .zero + .milliseconds(33) * number, byteCount: byteCount, sequence: UInt32(number), timeSource: .file,
        uncertainty: .zero, id: FrameID(epoch: 0, counter: UInt64(number)))
}
