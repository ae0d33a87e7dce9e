// SPDX-License-Identifier: MIT
// What one viewer of H.264 is sent, however slowly it takes it.

import LivecapFrames
import LivecapHTTP
import Testing

@testable import LivecapServing

@Suite struct VideoViewerTests {
    /// A frame, 40 ms after the one before it, whose bytes are its number.
    private func chunk(_ number: UInt64, isKey: Bool = false) -> VideoChunk {
        let frame = FrameMetadata(
            time: Timestamp(nanoseconds: Int64(number) * 40_000_000), byteCount: 1,
            id: FrameID(epoch: 1, counter: number))
        return VideoChunk(
            frame, number: UInt32(number), isKey: isKey, size: FrameSize(width: 64, height: 48), bytes: [UInt8(number)])
    }

    private func time(_ number: Int64) -> Timestamp { Timestamp(nanoseconds: number * 40_000_000) }

    /// The numbers of the frames that it is sent now, and whether each is a key.
    private func take(_ viewer: VideoViewer, blocks: Int = 4096) -> [(number: UInt8, isKey: Bool)] {
        var taken: [UInt8] = []
        var block = [UInt8](repeating: 0, count: blocks)
        while case .bytes(let count) = block.withUnsafeMutableBytes({ viewer.supply($0) }) { taken += block[..<count] }
        return stride(from: 0, to: taken.count, by: 37).map { place in
            (taken[place + 36], taken[place + 2] == UInt8(ascii: "K"))
        }
    }

    @Test(arguments: [1, 7, 36, 37, 38, 4096]) func allAreSentInOrderInBlocksOfAnySize(_ blocks: Int) {
        let viewer = VideoViewer()
        viewer.offer(chunk(1, isKey: true))
        for number in 2...6 { viewer.offer(chunk(UInt64(number))) }
        let taken = take(viewer, blocks: blocks)
        #expect(taken.map(\.number) == [1, 2, 3, 4, 5, 6])
        #expect(taken.map(\.isKey) == [true, false, false, false, false, false])
        #expect(viewer.counts == (6, 0))
    }

    @Test func itBeginsWithAFrameThatNeedsNoOther() {
        let viewer = VideoViewer()
        #expect(viewer.wantsKey(at: .zero))
        viewer.offer(chunk(1))
        #expect(take(viewer).isEmpty)
        viewer.offer(chunk(2, isKey: true))
        #expect(!viewer.wantsKey(at: time(2)))
        viewer.offer(chunk(3))
        #expect(take(viewer).map(\.number) == [2, 3])
    }

    @Test func oneThatIsTooSlowGoesOnWithTheNextKey() {
        let viewer = VideoViewer()
        viewer.offer(chunk(1, isKey: true))
        #expect(take(viewer).map(\.number) == [1])
        // Frames 2 to 9 reach back 280 ms, the tenth 320.
        for number in 2...12 { viewer.offer(chunk(UInt64(number))) }
        #expect(take(viewer).isEmpty)
        #expect(viewer.counts.dropped == 9)
        viewer.offer(chunk(13, isKey: true))
        viewer.offer(chunk(14))
        #expect(take(viewer).map(\.number) == [13, 14])
    }

    @Test func howOftenItWasTooSlowIsCounted() {
        let viewer = VideoViewer()
        let offers = [chunk(1, isKey: true), chunk(2)].map { viewer.offer($0) }
        #expect(offers == [false, false] && take(viewer).count == 2)
        // The tenth reaches too far back; those after it are not waited for.
        let late = (3...14).map { viewer.offer(chunk(UInt64($0))) }
        #expect(late.filter { $0 }.count == 1 && viewer.fallen == 1)
        // What takes nothing is not slow, but gone or asleep.
        viewer.offer(chunk(15, isKey: true))
        for number in 16...40 { viewer.offer(chunk(UInt64(number))) }
        #expect(viewer.fallen == 1 && viewer.counts.dropped > 9)
        viewer.offer(chunk(41, isKey: true))
        #expect(take(viewer).map(\.number) == [41])
        for number in 42...60 { viewer.offer(chunk(UInt64(number))) }
        #expect(viewer.fallen == 2)
    }

    @Test func aFrameOnItsWayIsFinished() {
        let viewer = VideoViewer()
        viewer.offer(chunk(1, isKey: true))
        var block = [UInt8](repeating: 0, count: 20)
        #expect(block.withUnsafeMutableBytes { viewer.supply($0) } == .bytes(20))
        for number in 2...20 { viewer.offer(chunk(UInt64(number))) }
        // It has not taken what it was sent, so a key frame would only have to wait.
        #expect(!viewer.wantsKey(at: time(100)))
        var rest = [UInt8](repeating: 0, count: 100)
        #expect(rest.withUnsafeMutableBytes { viewer.supply($0) } == .bytes(17))
        #expect(rest[16] == 1)
        #expect(viewer.wantsKey(at: time(100)))
    }

    @Test func oneThatIsTooSlowAsksForAKeyOnlyNowAndThen() {
        let viewer = VideoViewer()
        viewer.offer(chunk(1, isKey: true))
        for number in 2...20 { viewer.offer(chunk(UInt64(number))) }
        // The tenth was one too many; a second later, at the 35th, it asks again. Others' keys are taken at any time.
        #expect(!viewer.wantsKey(at: time(20)) && !viewer.wantsKey(at: time(33)))
        #expect(viewer.wantsKey(at: time(35)))
        viewer.offer(chunk(21, isKey: true))
        #expect(take(viewer).map(\.number) == [21])
    }

    @Test func aNewKeyTakesThePlaceOfWhatWaits() {
        let viewer = VideoViewer()
        viewer.offer(chunk(1, isKey: true))
        viewer.offer(chunk(2))
        viewer.offer(chunk(3, isKey: true))
        #expect(take(viewer).map(\.number) == [3])
        #expect(viewer.counts == (1, 2))
    }

    @Test func whatWaitsIsBoundedWhateverTheTimes() {
        let viewer = VideoViewer()
        viewer.offer(chunk(1, isKey: true))
        let frame = FrameMetadata(time: .zero, byteCount: 1, id: FrameID(epoch: 1, counter: 2))
        for _ in 0..<VideoViewer.maxWaiting {
            viewer.offer(VideoChunk(frame, number: 2, isKey: false, size: FrameSize(width: 64, height: 48), bytes: [2]))
        }
        #expect(take(viewer).isEmpty)
    }

    @Test func aHeartbeatShowsThatTheConnectionLives() {
        let viewer = VideoViewer()
        viewer.beat()
        var block = [UInt8](repeating: 1, count: 100)
        #expect(block.withUnsafeMutableBytes { viewer.supply($0) } == .bytes(36))
        #expect(block[..<4] == Array("LCF1".utf8)[...] && block[24..<36].allSatisfy { $0 == 0 })
        #expect(block.withUnsafeMutableBytes { viewer.supply($0) } == .none)
    }

    @Test func whatIsCutOffEnds() {
        let viewer = VideoViewer()
        viewer.offer(chunk(1, isKey: true))
        viewer.cutOff()
        viewer.offer(chunk(2, isKey: true))
        var block = [UInt8](repeating: 0, count: 100)
        #expect(block.withUnsafeMutableBytes { viewer.supply($0) } == .end)
    }

    @Test func keysKeepTheirDistance() {
        var pace = KeyPace()
        #expect(pace.allowsKey(at: time(1)))
        pace.note(time(10))
        #expect(!pace.allowsKey(at: time(17)) && pace.allowsKey(at: time(18)))
    }

    @Test func sizesAreEvenAndRatesFitTheirLines() {
        let whole = FrameSize(width: 1280, height: 720)
        #expect(VideoSize.size(width: nil, of: whole) == whole)
        #expect(VideoSize.size(width: 640, of: whole) == FrameSize(width: 640, height: 360))
        #expect(VideoSize.size(width: 1920, of: whole) == whole)
        let large = VideoSize.size(width: nil, of: FrameSize(width: 3840, height: 2160))
        #expect(large == FrameSize(width: 1920, height: 1080))
        #expect(
            VideoSize.size(width: nil, of: FrameSize(width: 101, height: 75)) == FrameSize(width: 100, height: 74))
        #expect(VideoSize.bitsPerSecond(whole, FrameRate(30)) < 3_000_000)
        #expect(VideoSize.bitsPerSecond(FrameSize(width: 640, height: 360), FrameRate(30)) < 1_000_000)
        #expect(VideoSize.bitsPerSecond(FrameSize(width: 160, height: 90), nil) == 300_000)
    }
}
