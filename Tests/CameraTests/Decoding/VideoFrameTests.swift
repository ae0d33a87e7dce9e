// SPDX-License-Identifier: MIT
// What is known of compressed frames without decoding them, and which of them can be decoded.

import LivecapFrames
import Testing

@testable import Camera

@Suite struct VideoFrameTests {
    private func content(_ bytes: [UInt8], _ format: PixelFormat) -> VideoFrame {
        bytes.withUnsafeBytes { VideoFrame($0, of: format) }
    }

    @Test func theFirstPictureDecides() {
        let (parameters, key, other): ([UInt8], [UInt8], [UInt8])
        parameters = [0, 0, 0, 1, 0x67, 1, 2, 0, 0, 1, 0x68, 3]
        key = [0, 0, 1, 0x65, 9]
        other = [0, 0, 1, 0x41, 9]
        #expect(content(parameters + key + other, .h264) == .key)
        #expect(content(parameters + other, .h264) == .dependent)
        #expect(content(parameters, .h264) == .noPicture)
        #expect(content([0, 0, 1, 0x06, 5] + other, .h264) == .dependent)
    }

    @Test func theFirstPictureOfHEVCDecides() {
        let parameters: [UInt8] = [0, 0, 0, 1, 0x40, 1, 2, 0, 0, 1, 0x42, 1, 0, 0, 1, 0x44, 1]
        #expect(content(parameters, .hevc) == .noPicture)
        #expect(content(parameters + [0, 0, 1, 0x26, 1], .hevc) == .key)
        #expect(content(parameters + [0, 0, 1, 0x2A, 1], .hevc) == .key)
        #expect(content([0, 0, 1, 0x02, 1], .hevc) == .dependent)
    }

    @Test(arguments: [PixelFormat.h264, .hevc]) func anyBytesAreAccepted(format: PixelFormat) {
        #expect(content([], format) == .garbage)
        #expect(content([1], format) == .garbage)
        #expect(content([0, 0, 1], format) == .garbage)
        #expect(content([UInt8](repeating: 0, count: 100), format) == .garbage)
    }

    private func frame(lost: UInt32 = 0, flags: FrameFlags = [], damage: Damage = .none) -> FrameMetadata {
        FrameMetadata(time: .zero, byteCount: 1, flags: flags, damage: damage, lostBefore: lost)
    }

    @Test func decodingBeginsWithAKeyFrame() {
        var wait = KeyFrameWait()
        #expect(wait.judge(frame(), .dependent) == .leaveOut(.needsKeyFrame))
        #expect(wait.judge(frame(), .noPicture) == .takeParameters)
        #expect(wait.judge(frame(), .key) == .begin)
        #expect(wait.judge(frame(), .dependent) == .decode)
        #expect(wait.judge(frame(), .key) == .decode)
        #expect(wait.judge(frame(), .noPicture) == .takeParameters)
        #expect(wait.judge(frame(), .dependent) == .decode)
    }

    @Test func whateverIsMissingIsWaitedOut() {
        let losses: [(FrameMetadata, VideoFrame, KeyFrameWait.Verdict)] = [
            (frame(lost: 1), .dependent, .leaveOut(.needsKeyFrame)),
            (frame(flags: .firstOfEpoch), .dependent, .leaveOut(.needsKeyFrame)),
            (frame(damage: .driverFlag), .key, .leaveOut(.driverFlag)),
            (frame(), .garbage, .leaveOut(.undecodable)),
            (frame(lost: 1), .noPicture, .takeParameters),
        ]
        for (lost, content, verdict) in losses {
            var wait = KeyFrameWait()
            #expect(wait.judge(frame(), .key) == .begin)
            #expect(wait.judge(lost, content) == verdict)
            #expect(wait.judge(frame(), .dependent) == .leaveOut(.needsKeyFrame))
            #expect(wait.judge(frame(), .key) == .begin)
        }
    }

    @Test func aLossRightBeforeAKeyFrameCostsNothing() {
        var wait = KeyFrameWait()
        #expect(wait.judge(frame(lost: 3), .key) == .begin)
        #expect(wait.judge(frame(), .dependent) == .decode)
        wait.lose()
        #expect(wait.judge(frame(), .dependent) == .leaveOut(.needsKeyFrame))
    }

    /// A frame may only seem later than it is, as in the dark; nothing is missing then.
    @Test func aFrameThatIsLateIsNoLoss() {
        var wait = KeyFrameWait()
        #expect(wait.judge(frame(), .key) == .begin)
        #expect(wait.judge(frame(flags: .gapBefore), .dependent) == .decode)
    }
}
