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

    /// A recovery point after other supplements, 9 frames before whole pictures: 0001010 in its code.
    private let point: [UInt8] = [0, 0, 1, 0x06, 5, 2, 7, 7, 6, 1, 0b0001_0100, 0x80]

    @Test func aRecoveryPointSaysWhenPicturesAreWhole() {
        let slice: [UInt8] = [0, 0, 1, 0x41, 0x9A, 9]
        #expect(content(point + slice, .h264) == .recovery(after: 9))
        #expect(content([0, 0, 1, 0x06, 6, 1, 0xC4, 0x80] + slice, .h264) == .recovery(after: 0))
        // A key frame is one all the same, and what is cut short says nothing.
        #expect(content(point + [0, 0, 1, 0x65, 9], .h264) == .key)
        #expect(content([0, 0, 1, 0x06, 6] + slice, .h264) == .dependent)
        #expect(content([0, 0, 1, 0x06, 6, 1, 0, 0x80] + slice, .h264) == .dependent)
        // In the middle of the number, a byte of 3 after two zeros is none of it: 2^17 - 1 + 1 is too far away.
        #expect(content([0, 0, 1, 0x06, 6, 5, 0, 0, 3, 0x40, 0, 0, 0x80] + slice, .h264) == .dependent)
    }

    @Test func aRecoveryPointOfHEVCHasASign() {
        let slice: [UInt8] = [0, 0, 1, 0x02, 1]
        // 18 stands for -9, 17 for 9.
        #expect(
            content([0, 0, 1, 0x4E, 1, 6, 2, 0b0000_1001, 0b0100_0000, 0x80] + slice, .hevc) == .recovery(after: 9))
        #expect(
            content([0, 0, 1, 0x4E, 1, 6, 2, 0b0000_1001, 0b1100_0000, 0x80] + slice, .hevc) == .recovery(after: 0))
        #expect(content([0, 0, 1, 0x4E, 1, 6, 1, 0x80, 0x80] + slice, .hevc) == .recovery(after: 0))
    }

    @Test func aPictureThatNeedsNoOtherIsABeginningAfterItsParameters() {
        let parameters: [UInt8] = [0, 0, 0, 1, 0x67, 1, 2, 0, 0, 1, 0x68, 3]
        // First macroblock 0; type 7 (all parts need no other), 2 (this one), 5 (all build on others).
        let (all, one, other): ([UInt8], [UInt8], [UInt8])
        all = [0, 0, 1, 0x41, 0b1000_1000]
        one = [0, 0, 1, 0x41, 0b1011_0000]
        other = [0, 0, 1, 0x41, 0b1001_1000]
        #expect(content(parameters + all, .h264) == .intra)
        #expect(content(parameters + all + other, .h264) == .intra)
        #expect(content(parameters + one + one, .h264) == .intra)
        #expect(content(parameters + one + other, .h264) == .dependent)
        #expect(content(parameters + other, .h264) == .dependent)
        #expect(content(all, .h264) == .dependent)
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

    @Test func withinARefreshPicturesAreNotSeen() {
        var wait = KeyFrameWait()
        #expect(wait.judge(frame(), .recovery(after: 3)) == .beginRefresh)
        #expect(wait.judge(frame(), .dependent) == .refresh)
        #expect(wait.judge(frame(), .dependent) == .refresh)
        #expect(wait.judge(frame(), .dependent) == .decode)
        #expect(wait.isRecovering)
        wait.noteWhole()
        #expect(!wait.isRecovering)
        // From then on, points change nothing.
        #expect(wait.judge(frame(), .recovery(after: 3)) == .decode)
        #expect(wait.judge(frame(), .intra) == .decode)
        #expect(wait.judge(frame(lost: 1), .intra) == .beginUnannounced)
        #expect(wait.judge(frame(lost: 1), .recovery(after: 0)) == .begin)
        #expect(!wait.isRecovering)
    }

    @Test func aLaterPointMayEndARefreshSooner() {
        var wait = KeyFrameWait()
        #expect(wait.judge(frame(), .recovery(after: 9)) == .beginRefresh)
        #expect(wait.judge(frame(), .recovery(after: 1)) == .refresh)
        #expect(wait.judge(frame(), .dependent) == .decode)
        #expect(wait.judge(frame(lost: 1), .recovery(after: 9)) == .beginRefresh)
        #expect(wait.judge(frame(), .key) == .decode)
    }

    @Test func aRefreshThatGivesNoPictureIsGivenUp() {
        var wait = KeyFrameWait()
        #expect(wait.judge(frame(), .recovery(after: 1)) == .beginRefresh)
        wait.noteUnwhole()
        var tries = 0
        while !wait.isWaiting, tries < 1000 {
            _ = wait.judge(frame(), .dependent)
            wait.noteUnwhole()
            tries += 1
        }
        #expect((32..<200).contains(tries))
        #expect(wait.judge(frame(), .recovery(after: 1)) == .beginRefresh)
    }

    /// A frame may only seem later than it is, as in the dark; nothing is missing then.
    @Test func aFrameThatIsLateIsNoLoss() {
        var wait = KeyFrameWait()
        #expect(wait.judge(frame(), .key) == .begin)
        #expect(wait.judge(frame(flags: .gapBefore), .dependent) == .decode)
    }
}
