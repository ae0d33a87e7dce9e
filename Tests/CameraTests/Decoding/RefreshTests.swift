// SPDX-License-Identifier: MIT
// Cameras that never send a key frame again: pictures begin within a refresh, or at a picture that needs no other.

import FrameRing
import Glibc
import LivecapFrames
import Testing

@testable import Camera
@testable import LivecapFrameFiles

@Suite(
    .enabled(if: VideoClip.isAvailable(.h264), VideoClip.lack),
    .timeLimit(.minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60)))
struct RefreshTests {
    private func contents(_ clip: VideoClip) -> [VideoFrame] {
        clip.frames.map { bytes in bytes.withUnsafeBytes { VideoFrame($0, of: clip.format.pixelFormat) } }
    }

    /// Delivers some frames of a clip. Those that are lost are known by their numbers.
    private func acts(_ numbers: Range<Int>, without lost: Set<Int> = []) -> [ScriptedVideo.Act] {
        numbers.filter { !lost.contains($0) }.map { .frame($0, lost: lost.contains($0 - 1) ? 1 : 0) }
    }

    /// Where the recovery points of a clip are, and after how many frames pictures are whole.
    private func points(_ clip: VideoClip) -> [(number: Int, count: Int)] {
        contents(clip).enumerated().compactMap { number, content in
            guard case .recovery(let count) = content else { return nil }
            return (number, count)
        }
    }

    @Test func aRefreshIsWaitedForAfterALoss() throws {
        let clip = try VideoClip(.h264, count: 28, .refresh)
        #expect(contents(clip).filter { $0 == .key }.count == 1)
        let points = points(clip)
        let point = try #require(points.first { $0.number > 3 })
        let whole = point.number + point.count
        #expect(point.count > 2 && whole < 25, "\(points)")
        let (loop, frames) = try ScriptedVideo.run(clip, acts(0..<28, without: [3]))
        // One frame each, in order, whether it has a picture or not.
        #expect(frames.map(\.metadata.sequence) == (0..<28).filter { $0 != 3 }.map(UInt32.init))
        for frame in frames {
            let number = Int(frame.metadata.sequence)
            let isWaiting = (4..<whole).contains(number)
            #expect(frame.metadata.damage == (isWaiting ? .needsKeyFrame : .none), "frame \(number)")
            if frame.metadata.isUsable { #expect(clip.psnr(frame.bytes, of: number) > 33, "frame \(number)") }
        }
        let statistics = try #require(loop.decodingStatistics)
        #expect(statistics.waitedForKey == whole - 4 && statistics.undecodable == 0 && statistics.heldBack <= 1)
    }

    @Test func aStreamThatBeginsWithinIsNotDarkForGood() throws {
        let clip = try VideoClip(.h264, count: 30, .refresh)
        let point = try #require(points(clip).first { $0.number > 5 })
        let (_, frames) = try ScriptedVideo.run(clip, acts(5..<30))
        let whole = point.number + point.count
        for frame in frames {
            let number = Int(frame.metadata.sequence)
            #expect(frame.metadata.isUsable == (number >= whole), "frame \(number)")
            if frame.metadata.isUsable { #expect(clip.psnr(frame.bytes, of: number) > 33, "frame \(number)") }
        }
    }

    @Test func aLossWithinARefreshIsWaitedForAnew() throws {
        let clip = try VideoClip(.h264, count: 31, .refresh)
        let points = points(clip)
        let first = try #require(points.first { $0.number > 3 })
        let lost = first.number + 2
        let next = try #require(points.first { $0.number > lost })
        let (_, frames) = try ScriptedVideo.run(clip, acts(0..<31, without: [3, lost]))
        #expect(next.number + next.count < 31)
        let usable = frames.filter(\.metadata.isUsable).map { Int($0.metadata.sequence) }
        #expect(usable == Array(0..<3) + Array(next.number + next.count..<31))
    }

    @Test func picturesThatNeedNoOtherAreABeginning() throws {
        let clip = try VideoClip(.h264, count: 30, .intra)
        let contents = contents(clip)
        #expect(contents[0] == .key && contents[10] == .intra && contents[20] == .intra)
        #expect(contents.filter { $0 == .dependent }.count == 27)
        let (_, frames) = try ScriptedVideo.run(clip, acts(0..<30, without: [13]))
        for frame in frames {
            let number = Int(frame.metadata.sequence)
            #expect(frame.metadata.damage == ((14..<20).contains(number) ? .needsKeyFrame : .none), "frame \(number)")
            if frame.metadata.isUsable { #expect(clip.psnr(frame.bytes, of: number) > 33, "frame \(number)") }
        }
        let (_, late) = try ScriptedVideo.run(clip, acts(5..<30))
        #expect(late.filter(\.metadata.isUsable).map(\.metadata.sequence) == Array(10..<30))
    }

    /// Without parameters, it may be part of a stream whose later pictures need earlier ones.
    @Test func withoutParametersAPictureIsNoBeginning() throws {
        var clip = try VideoClip(.h264, count: 12, .intra)
        let slice = try #require(
            clip.frames[10].indices.dropLast(3).last { clip.frames[10][$0...].starts(with: [0, 0, 1]) })
        clip.frames[10].removeSubrange(..<slice)
        #expect(contents(clip)[10] == .dependent)
    }

    @Test func aRecordingIsReadFromAnywhere() throws {
        for style in [VideoClip.Style.refresh, .intra] {
            let clip = try VideoClip(.h264, count: 60, style)
            let file = ClipFile(clip, without: [13])
            let ordered = try read(pictures(of: file), Array(0..<59))
            #expect(ordered[12].isUsable && !ordered[13].isUsable && ordered[58].isUsable)
            let order = [40, 41, 3, 20, 58, 13, 30, 57]
            let other = try read(pictures(of: file), order)
            #expect(other.map(\.damage) == order.map { ordered[$0].damage }, "\(style)")
        }
    }

    private func read(_ file: any FrameFile, _ order: [Int]) throws -> [FrameMetadata] {
        let memory = try file.makeFrameMemory()
        defer { withExtendedLifetime(memory) {} }
        return try order.map { try file.read($0, into: memory.regions[0]) }
    }

    // MARK: Sizes

    @Test(arguments: [PixelFormat.h264, .hevc]) func croppedBlocksAreNoPartOfThePicture(format: PixelFormat) throws {
        let size = FrameSize(width: 152, height: 90)
        guard VideoClip.isAvailable(format) else { return }
        let clip = try VideoClip(format, count: 5, size: size)
        let (loop, frames) = try ScriptedVideo.run(clip, acts(0..<5))
        #expect(loop.description.format.size == size)
        for (number, frame) in frames.enumerated() {
            #expect(frame.metadata.isUsable && clip.psnr(frame.bytes, of: number) > 35)
        }
    }

    /// As 1920x1088 for 1920x1080.
    @Test func whatIsBeyondTheSizeAskedForIsCutOff() throws {
        for size in [FrameSize(width: 160, height: 90), FrameSize(width: 152, height: 96)] {
            var clip = try VideoClip(.h264, count: 5)
            clip.format = FrameFormat(pixelFormat: .h264, size: size)
            let (_, frames) = try ScriptedVideo.run(clip, acts(0..<5))
            #expect(frames.count == 5)
            let luma = size.area
            for (number, frame) in frames.enumerated() {
                try #require(frame.metadata.isUsable && frame.bytes.count == luma * 3 / 2)
                var errors = 0
                for y in 0..<size.height {
                    for x in 0..<size.width {
                        let difference = Int(frame.bytes[y * size.width + x]) - Int(clip.scene[number][y * 160 + x])
                        errors += abs(difference) > 40 ? 1 : 0
                    }
                }
                #expect(errors < luma / 100)
            }
        }
    }
}
