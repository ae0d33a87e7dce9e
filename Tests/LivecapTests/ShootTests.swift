// SPDX-License-Identifier: MIT
// `livecap shoot`: the right frame, reported correctly, in a file that is complete or does not exist.

import Foundation
import LivecapFrames
import LivecapJPEG
import Testing

@Suite struct ShootTests {
    private let files: Scratch

    init() throws { files = try Scratch() }

    private func shoot(_ arguments: String...) throws -> Outcome {
        let frames = try files.rawFrames(30)
        return try RunningLivecap(
            ["shoot", "--replay", frames, "--json"] + Scratch.rawOptions + arguments
        ).finish()
    }

    @Test func theFrameNearestTheMomentIsTaken() throws {
        let outcome = try shoot("--at", "533ms", "-o", files.path("a.jpg"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        let shot = try outcome.object
        #expect(shot["file"] as? String == files.path("a.jpg"))
        #expect(shot["shot"] as? Int == 1)
        #expect(shot["tapNs"] as? Int == 533_000_000)
        #expect(shot["referenceNs"] as? Int == 533_333_333)
        #expect(shot["referenceId"] as? String == "0:16")
        #expect(shot["lagMs"] as? Double == 0.333333)
        #expect(shot["lagBoundMs"] as? Double == 0)
        let used = try #require(shot["framesUsed"] as? [[String: Any]])
        #expect(used.contains { $0["id"] as? String == "0:16" && $0["ns"] as? Int == 533_333_333 })
    }

    @Test func thePictureIsAWholeJPEG() throws {
        #expect(try shoot("-o", files.path("a.jpg")).status == 0)
        let bytes = try files.bytes("a.jpg")
        let (structure, damage) = JPEGStructure.check(bytes.span.bytes)
        #expect(damage == .none)
        #expect(structure?.size == FrameSize(width: 64, height: 48))
        #expect(structure?.hasHuffmanTables == true)
        #expect(files.names == ["a.jpg", "frames.nv12"])
    }

    @Test func severalMomentsGiveSeveralPictures() throws {
        let outcome = try shoot("--at", "0.5s", "--at", "100ms", "--at=0s", "-o", files.path("a.jpg"))
        #expect(outcome.status == 0)
        let shots = try outcome.objects
        #expect(shots.map { $0["shot"] as? Int } == [1, 2, 3])
        #expect(shots.map { $0["referenceNs"] as? Int } == [0, 100_000_000, 500_000_000])
        #expect(files.names == ["a-1.jpg", "a-2.jpg", "a-3.jpg", "frames.nv12"])
    }

    @Test func aFolderGetsTheNextFreeNumber() throws {
        for number in 1...2 {
            let outcome = try shoot("-o", files.path("shots") + "/")
            #expect(try outcome.object["file"] as? String == files.path("shots/livecap-000\(number).jpg"))
        }
    }

    @Test func aFileThatIsThereIsNotReplacedUnasked() throws {
        try files.write([1], to: "a.jpg")
        #expect(try shoot("-o", files.path("a.jpg")).status == 73)
        #expect(try files.bytes("a.jpg") == [1])
        #expect(try shoot("-o", files.path("a.jpg"), "--overwrite").status == 0)
        #expect(try files.bytes("a.jpg").count > 1)
    }

    @Test func aPictureIsNotNamedWhatItIsNot() throws {
        let frames = try files.rawFrames(3)
        for options in [["-o", files.path("a.tiff")], ["-o", files.path("a.png"), "--format", "jpeg"]] {
            let outcome = try RunningLivecap(
                ["shoot", "--replay", frames, "--json"] + options + Scratch.rawOptions
            ).finish()
            #expect(outcome.status == 64)
        }
        #expect(files.names == ["frames.nv12"])
    }

    @Test func aMomentWithoutAFrameIsAnError() throws {
        let outcome = try shoot("--at", "3s", "-o", files.path("a.jpg"))
        #expect(outcome.status == 65)
        #expect(try outcome.object["code"] as? String == "no-frame")
        #expect(files.names == ["frames.nv12"])
    }

    @Test func nothingComesBeforeTheFirstFrame() throws {
        #expect(try shoot("--at", "-250ms", "-o", files.path("a.jpg")).status == 64)
    }

    @Test func framesOfCamerasThatSendJPEGStayAsTheyAre() throws {
        var encoder = try JPEGEncoder()
        let size = FrameSize(width: 32, height: 32)
        var pictures: [[UInt8]] = []
        for level in [0, 40, 80, 120] as [UInt8] {
            let pixels = [UInt8](repeating: level, count: 3 * size.area)
            try encoder.encodeRGB(pixels.span.bytes, size: size, quality: 90) { picture in
                pictures.append(picture.withUnsafeBytes { Array($0) })
            }
        }
        let movie = try files.write(Array(pictures.joined()), to: "a.mjpg")
        let outcome = try livecap(
            "shoot", "--replay", movie, "--fps", "10", "--at", "0.2s", "--quality", "single", "-o", files.path("a.jpg"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try files.bytes("a.jpg") == pictures[2])
    }

    /// Pictures are made by way of planes or of R'G'B'. Both keep the colours.
    @Test(arguments: [("YUYV", "64x48"), ("NV12", "64x48"), ("I420", "64x48"), ("YUYV", "62x47"), ("RGB24", "64x48")])
    func colourBarsKeepTheirColours(format: String, size: String) throws {
        let shape = try #require(FrameSize(size))
        let pixelFormat = try #require(PixelFormat(named: format))
        // A single colour: limited-range Y' 81, Cb 90, Cr 240 is red, and so is red in RGB.
        let count = FrameFormat(pixelFormat: pixelFormat, size: shape).byteCount
        let luma = shape.area
        let bytes: [UInt8] = (0..<count).map { place in
            switch format {
            case "YUYV": [81, 90, 81, 240][place % 4]
            case "NV12": place < luma ? 81 : [90, 240][place % 2]
            case "I420": place < luma ? 81 : place < luma + luma / 4 ? 90 : 240
            default: [255, 0, 0][place % 3]
            }
        }
        let path = try files.write(bytes, to: "red")
        let outcome = try livecap(
            "shoot", "--replay", path, "--input-format", format, "--size", size, "-o", files.path("a.jpg"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        let picture = try files.bytes("a.jpg")
        var pixels = [UInt8](repeating: 0, count: 3 * shape.area)
        var decoder = try JPEGDecoder()
        try pixels.withUnsafeMutableBytes { memory in
            _ = try decoder.decodeRGB(picture.span.bytes, size: shape, into: memory)
        }
        for (channel, level) in [255, 0, 0].enumerated() {
            let found = stride(from: channel, to: pixels.count, by: 3).map { abs(Int(pixels[$0]) - level) }
            #expect(found.max()! <= 5, "channel \(channel)")
        }
    }
}
