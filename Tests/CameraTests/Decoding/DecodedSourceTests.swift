// SPDX-License-Identifier: MIT
// A camera of compressed video fills a ring with pictures, whatever happens to it on the way.

import FrameRing
import Glibc
import LivecapFrames
import Testing

@testable import Camera

@Suite(
    .enabled(if: VideoClip.isAvailable(.h264), VideoClip.lack),
    .timeLimit(.minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60)))
struct DecodedSourceTests {
    private let clip: VideoClip

    init() throws { clip = try VideoClip(.h264, count: 25) }

    private func loop(_ acts: [ScriptedVideo.Act]) throws -> CaptureLoop { try ScriptedVideo.loop(clip, acts) }

    private func run(
        _ acts: [ScriptedVideo.Act], of other: VideoClip? = nil
    ) throws -> (loop: CaptureLoop, frames: [SeenFrame]) {
        try ScriptedVideo.run(other ?? clip, acts)
    }

    @Test func picturesHaveTheTimesOfTheirCapture() throws {
        let (loop, frames) = try run((0..<25).map { .frame($0) })
        #expect(loop.state == .ended && loop.transport == .copied)
        #expect(loop.description.format == FrameFormat(pixelFormat: .i420, size: VideoClip.size))
        #expect(frames.count == 25)
        for (number, frame) in frames.enumerated() {
            #expect(frame.metadata.time == VideoClip.time(number) && frame.metadata.isUsable)
            #expect(frame.metadata.sequence == UInt32(number) && frame.metadata.uncertainty == .milliseconds(1))
            #expect(frame.bytes.count == loop.description.format.byteCount)
            #expect(clip.psnr(frame.bytes, of: number) > 35)
        }
        let statistics = try #require(loop.decodingStatistics)
        #expect(statistics.pictures == 25 && statistics.waitedForKey == 0 && statistics.undecodable == 0)
        #expect(statistics.heldBack == 0 && statistics.meanDelay > .zero)
        #expect(statistics.longestDelay >= statistics.meanDelay)
        #expect(loop.ring.statistics.damaged == 0)
    }

    @Test func aLossLastsUntilTheNextKeyFrame() throws {
        let numbers = (0..<25).filter { $0 != 13 }
        let (loop, frames) = try run(numbers.map { .frame($0, lost: $0 == 14 ? 1 : 0) })
        let damages = frames.map(\.metadata.damage)
        #expect(damages[..<13].allSatisfy { $0 == .none } && damages[19...].allSatisfy { $0 == .none })
        #expect(damages[13..<19].allSatisfy { $0 == .needsKeyFrame })
        #expect(frames[13].metadata.lostBefore == 1 && frames[13].bytes.isEmpty)
        #expect(loop.decodingStatistics?.waitedForKey == 6)
        #expect(loop.ring.statistics.damaged == 6 && loop.ring.statistics.lost == 1)
        #expect(clip.psnr(frames[19].bytes, of: 20) > 35)
    }

    /// Before a frame that is no part of a picture, too.
    @Test func aLossBeforeParametersIsReportedByTheNextFrame() throws {
        var clip = clip
        // A delimiter alone.
        clip.frames[13] = [0, 0, 0, 1, 0x09, 0xF0]
        let (loop, frames) = try run((0..<25).map { .frame($0, lost: $0 == 13 ? 2 : 0) }, of: clip)
        #expect(frames.map(\.metadata.sequence) == (0..<25).filter { $0 != 13 })
        #expect(frames[13].metadata.lostBefore == 2 && frames[13].metadata.flags.contains(.gapBefore))
        #expect(frames[13].metadata.damage == .needsKeyFrame && frames[14].metadata.lostBefore == 0)
        #expect(loop.ring.statistics.lost == 2 && loop.ring.statistics.gaps == 1)
        #expect(frames[19...].allSatisfy { $0.metadata.isUsable })
    }

    @Test func aDamagedFrameLastsUntilTheNextKeyFrame() throws {
        let (loop, frames) = try run((0..<25).map { .frame($0, damage: $0 == 3 ? .driverFlag : .none) })
        #expect(frames[3].metadata.damage == .driverFlag)
        #expect(frames.filter { $0.metadata.damage == .needsKeyFrame }.map(\.metadata.sequence) == Array(4..<10))
        #expect(loop.decodingStatistics?.waitedForKey == 6 && loop.decodingStatistics?.pictures == 18)
    }

    @Test func whatHappensIsReportedInItsPlace() throws {
        let (loop, frames) = try run(
            (0..<5).map { .frame($0) } + [.news(.restarted(reason: "of the test"))] + (5..<25).map { .frame($0) })
        #expect(loop.notices.contains(.restarted(reason: "of the test")))
        #expect(loop.interruption?.firstFrameAfter == 5)
        #expect(loop.notices.contains(.recovered))
        #expect(frames.map(\.metadata.id.epoch) == Array(repeating: 0, count: 5) + Array(repeating: 1, count: 20))
        #expect(frames.map { $0.metadata.flags.contains(.firstOfEpoch) }.filter(\.self).count == 2)
        // The new epoch begins with frames that build on the old one's.
        #expect(frames[5..<10].allSatisfy { $0.metadata.damage == .needsKeyFrame })
        #expect(frames[10...].allSatisfy { $0.metadata.isUsable })
    }

    @Test func picturesOfAnotherSizeAreRefused() throws {
        var other = clip
        other.format.size = FrameSize(width: 160, height: 48)
        let loop = try CaptureLoop(
            DecodedSource(ScriptedVideo(other, (0..<25).map { .frame($0) })), capacity: .standard, isRealTime: false)
        var subscription = FrameSubscription(to: loop.ring)
        loop.start()
        while case .frame(let frame) = subscription.next() { #expect(!frame.metadata.isUsable) }
        loop.stop()
        guard case .failed(.notSupported("eye", let detail)) = loop.state else {
            Issue.record("\(loop.state)")
            return
        }
        #expect(detail.contains("160x96"))
    }

    @Test func itsFailureIsTheCameras() throws {
        let (loop, frames) = try run((0..<5).map { .frame($0) } + [.fail(.disconnected(path: "/dev/video7"))])
        #expect(frames.count == 5 && loop.state == .failed(.disconnected(path: "/dev/video7")))
    }

    @Test func anotherCameraIsDescribedByItsPictures() throws {
        var other = ScriptedVideo(clip, []).description
        other.name = "Other"
        let (loop, _) = try run([.frame(0), .news(.moved(to: other)), .frame(10)])
        #expect(loop.source(ofFrame: 1).name == "Other")
        #expect(loop.source(ofFrame: 1).format.pixelFormat == .i420)
    }

    @Test func itStopsWhileTheCameraIsSilent() throws {
        let loop = try loop([.frame(0), .hang])
        var subscription = FrameSubscription(to: loop.ring)
        loop.start()
        guard case .frame = subscription.next() else { Issue.record("no frame"); return }
        loop.stop()
        #expect(loop.state == .ended && loop.ring.isEnded)
    }

    @Test func itStopsBeforeItBegins() throws {
        let loop = try loop([.hang])
        loop.stop()
        #expect(loop.state == .ended)
    }
}
