// SPDX-License-Identifier: MIT
// A recording of compressed video as pictures: those of the scene, at their times, and none that is not whole.

import FrameRing
import LivecapFrames
import Testing

@testable import Camera
@testable import LivecapFrameFiles

private let formats: [PixelFormat] = [.h264, .hevc]

@Suite(.enabled(if: formats.allSatisfy(VideoClip.isAvailable), VideoClip.lack)) struct DecodedFileTests {
    /// A file's frames in an order, with their pictures.
    private func read(_ file: any FrameFile, _ order: some Sequence<Int>) throws -> [SampleFrame] {
        let memory = try file.makeFrameMemory()
        defer { withExtendedLifetime(memory) {} }
        return try order.map { index in
            let frame = try file.read(index, into: memory.regions[0])
            return SampleFrame(metadata: frame, bytes: Array(memory.regions[0][..<frame.byteCount]))
        }
    }

    @Test(arguments: formats) func picturesAreThoseOfTheScene(format: PixelFormat) throws {
        let clip = try VideoClip(format, count: 25)
        let file = try pictures(of: ClipFile(clip))
        #expect(file.description.format == FrameFormat(pixelFormat: .i420, size: VideoClip.size))
        let frames = try read(file, 0..<25)
        for (number, frame) in frames.enumerated() {
            #expect(frame.metadata.isUsable && frame.metadata.time == VideoClip.time(number))
            #expect(frame.metadata.uncertainty == .milliseconds(1) && frame.metadata.timeSource == .startOfExposure)
            #expect(clip.psnr(frame.bytes, of: number) > 35)
            // And of no neighbour.
            #expect(number == 0 || clip.psnr(frame.bytes, of: number) > clip.psnr(frame.bytes, of: number - 1) + 3)
        }
    }

    @Test(arguments: formats) func afterALossOnlyAKeyFrameGivesAPicture(format: PixelFormat) throws {
        let clip = try VideoClip(format, count: 25)
        let frames = try read(try pictures(of: ClipFile(clip, without: [13])), 0..<24)
        let damages = frames.map(\.metadata.damage)
        #expect(damages[..<13].allSatisfy { $0 == .none })
        #expect(damages[13..<19].allSatisfy { $0 == .needsKeyFrame })
        #expect(damages[19...].allSatisfy { $0 == .none })
        #expect(frames[13].metadata.lostBefore == 1)
        #expect(frames[13].bytes.allSatisfy { $0 == 0 }, "nothing of another picture is left")
        #expect(clip.psnr(frames[19].bytes, of: 20) > 35)
    }

    @Test(arguments: formats) func whatBuildsOnADamagedFrameIsLeftOut(format: PixelFormat) throws {
        let clip = try VideoClip(format, count: 25)
        let damages = try read(try pictures(of: ClipFile(clip, damaged: [4])), 0..<25).map(\.metadata.damage)
        #expect(damages[4] == .driverFlag)
        #expect(damages[5..<10].allSatisfy { $0 == .needsKeyFrame })
        #expect(damages[10...].allSatisfy { $0 == .none })
    }

    /// Drivers deliver frames that were cut short without a mark. FFmpeg's decoder of HEVC does not always notice.
    @Test func aFrameThatIsCutShortIsNoticed() throws {
        var clip = try VideoClip(.h264, count: 25)
        clip.frames[12] = Array(clip.frames[12].dropLast(clip.frames[12].count / 2))
        let damages = try read(try pictures(of: ClipFile(clip)), 0..<25).map(\.metadata.damage)
        #expect(damages[12] == .undecodable)
        #expect(damages[13..<20].allSatisfy { $0 == .needsKeyFrame })
        #expect(damages[20...].allSatisfy { $0 == .none })
    }

    @Test(arguments: formats) func bytesThatAreNoFrameAreNoticed(format: PixelFormat) throws {
        var clip = try VideoClip(format, count: 25)
        clip.frames[3] = [UInt8](repeating: 9, count: 500)
        clip.frames[14] = []
        let damages = try read(try pictures(of: ClipFile(clip)), 0..<25).map(\.metadata.damage)
        #expect(damages[3] == .undecodable && damages[14] == .undecodable)
        #expect(damages.filter { $0 == .needsKeyFrame }.count == 6 + 5)
    }

    @Test(arguments: formats) func framesAreTheSameInAnyOrder(format: PixelFormat) throws {
        let clip = try VideoClip(format, count: 25)
        let ordered = try read(try pictures(of: ClipFile(clip)), 0..<25)
        let order = [17, 17, 3, 4, 24, 0, 9, 10, 8, 23]
        #expect(try read(try pictures(of: ClipFile(clip)), order) == order.map { ordered[$0] })
    }

    @Test func aRecordingThatBeginsWithinBeginsWithAKeyFrame() throws {
        let clip = try VideoClip(.h264, count: 25)
        let damages = try read(try pictures(of: ClipFile(clip, without: Set(0..<5))), 0..<20).map(\.metadata.damage)
        #expect(damages[..<5].allSatisfy { $0 == .needsKeyFrame } && damages[5...].allSatisfy { $0 == .none })
    }

    /// Cameras send no such pictures. If one does, some of them are left out.
    @Test func picturesOutOfOrderAreNeverThoseOfOtherFrames() throws {
        let clip = try VideoClip(.hevc, count: 25, isReordered: true)
        #expect(clip.order != Array(0..<25))
        let frames = try read(try pictures(of: ClipFile(clip)), 0..<25)
        #expect(frames[0].metadata.isUsable)
        for (number, frame) in frames.enumerated() where frame.metadata.isUsable {
            #expect(clip.psnr(frame.bytes, of: clip.order[number]) > 35)
        }
    }

    @Test func rangesAreConverted() {
        var bytes: [UInt8] = [0, 255, 128, 0, 255, 128]
        let toLimited = RangeTables(to: .limited)
        bytes.withUnsafeMutableBytes { toLimited.convert($0, lumaCount: 3, count: 6, from: .full) }
        #expect(bytes == [16, 235, 126, 16, 240, 128])
        let toFull = RangeTables(to: .full)
        bytes.withUnsafeMutableBytes { toFull.convert($0, lumaCount: 3, count: 6, from: .limited) }
        #expect(bytes == [0, 255, 128, 0, 255, 128])
        bytes.withUnsafeMutableBytes { toFull.convert($0, lumaCount: 3, count: 6, from: .full) }
        #expect(bytes == [0, 255, 128, 0, 255, 128])
    }
}
