// SPDX-License-Identifier: MIT
// What one viewer is sent, however slowly it takes it.

import FrameRing
import LivecapFrames
import LivecapHTTP
import Synchronization
import Testing

@testable import LivecapServing

@Suite struct FrameViewerTests {
    /// A channel of one frame after the other.
    private final class Newest: Sendable {
        let frame = Mutex<FeedFrame?>(nil)
        private let wrapping: FrameWrapping
        private let stock = FrameStock()

        init(_ wrapping: FrameWrapping = .records) { self.wrapping = wrapping }

        func show(_ counter: UInt64, _ bytes: [UInt8]) {
            let id = FrameID(epoch: 2, counter: counter)
            frame.withLock {
                $0 = FeedFrame(
                    FrameMetadata(time: Timestamp(nanoseconds: Int64(counter) * 10), byteCount: bytes.count, id: id),
                    number: UInt32(counter) + 1, size: FrameSize(width: 64, height: 48), jpeg: bytes.span.bytes,
                    wrapping: wrapping, stock: stock)
            }
        }
    }

    private func viewer(_ wrapping: FrameWrapping, _ newest: Newest) -> FrameViewer {
        FrameViewer(wrapping) { newest.frame.withLock { $0 } }
    }

    /// All that a viewer is sent now, in blocks of a size.
    private func take(_ viewer: FrameViewer, blocks: Int) -> [UInt8] {
        var (taken, block) = ([UInt8](), [UInt8](repeating: 0, count: blocks))
        while case .bytes(let count) = block.withUnsafeMutableBytes({ viewer.supply($0) }) { taken += block[..<count] }
        return taken
    }

    @Test(arguments: [1, 7, 36, 37, 4096]) func aRecordIsTheSameInBlocksOfAnySize(_ blocks: Int) {
        let newest = Newest()
        newest.show(300, [9, 8, 7])
        let record = take(viewer(.records, newest), blocks: blocks)
        #expect(record[..<4] == Array("LCF1".utf8)[...])
        #expect(record[4..<8] == [2, 0, 0, 0])
        #expect(record[8..<16] == [44, 1, 0, 0, 0, 0, 0, 0])
        #expect(record[16..<24] == [184, 11, 0, 0, 0, 0, 0, 0])
        #expect(record[24...] == [3, 0, 0, 0, 64, 0, 48, 0, 45, 1, 0, 0, 9, 8, 7])
    }

    @Test func whatCameInBetweenIsLeftOut() {
        let newest = Newest()
        let viewer = viewer(.records, newest)
        newest.show(1, [1])
        #expect(take(viewer, blocks: 4096)[8] == 1)
        for counter in 2...9 { newest.show(UInt64(counter), [0]) }
        let record = take(viewer, blocks: 4096)
        #expect(record.count == 37 && record[8] == 9)
        #expect(viewer.sent == 2)
    }

    @Test func aFrameOnItsWayIsFinished() {
        let newest = Newest()
        let viewer = viewer(.records, newest)
        newest.show(1, [1, 2, 3, 4])
        var block = [UInt8](repeating: 0, count: 38)
        #expect(block.withUnsafeMutableBytes { viewer.supply($0) } == .bytes(38))
        newest.show(2, [5])
        let rest = take(viewer, blocks: 4096)
        #expect(rest[..<2] == [3, 4] && rest[10] == 2 && rest.last == 5)
    }

    @Test func noFrameIsSentTwice() {
        let newest = Newest()
        let viewer = viewer(.records, newest)
        newest.show(1, [1])
        #expect(!take(viewer, blocks: 100).isEmpty)
        #expect(take(viewer, blocks: 100).isEmpty)
    }

    @Test func noMoreFramesComeThanAreAskedFor() {
        let newest = Newest()
        let viewer = FrameViewer(.records, rate: FrameRate(1000)) { newest.frame.withLock { $0 } }
        // Each counts ten nanoseconds. A clock that goes back is no reason to wait.
        let isSent = [100_000, 150_000, 189_000, 190_000, 190_001, 5].map { (counter: UInt64) in
            newest.show(counter, [1])
            return !take(viewer, blocks: 100).isEmpty
        }
        #expect(isSent == [true, false, false, true, false, true])
    }

    @Test func aHeartbeatShowsThatTheConnectionLives() {
        let viewer = viewer(.records, Newest())
        #expect(take(viewer, blocks: 100).isEmpty)
        viewer.beat()
        let record = take(viewer, blocks: 100)
        #expect(record.count == 36 && record[24...].allSatisfy { $0 == 0 })
        #expect(take(viewer, blocks: 100).isEmpty && viewer.sent == 0)
    }

    @Test func partsAreWhatBrowsersKnow() {
        let newest = Newest(.parts)
        newest.show(5, Array("JPEG".utf8))
        let text = String(decoding: take(viewer(.parts, newest), blocks: 3), as: UTF8.self)
        #expect(text.hasPrefix("--livecap-frame\r\nContent-Type: image/jpeg\r\nContent-Length: 4\r\n"))
        #expect(text.contains("X-Timestamp: 0.000000050\r\n"))
        #expect(text.contains("X-Livecap-Frame: 2:5\r\n") && text.hasSuffix("\r\n\r\nJPEG\r\n"))
    }

    @Test func thoseWhoTakePartsGetTheLastAgain() {
        let newest = Newest(.parts)
        newest.show(5, Array("JPEG".utf8))
        let viewer = viewer(.parts, newest)
        let part = take(viewer, blocks: 4096)
        #expect(take(viewer, blocks: 4096).isEmpty)
        viewer.beat()
        #expect(take(viewer, blocks: 4096) == part)
    }
}
