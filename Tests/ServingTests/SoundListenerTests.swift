// SPDX-License-Identifier: MIT
// What one listener is sent, however slowly it takes it; and who is told of listeners.

import LivecapFrames
import LivecapHTTP
import LivecapThreads
import Testing

@testable import LivecapServing

@Suite struct SoundListenerTests {
    private func chunk(_ number: UInt32) -> SoundChunk {
        let time = Timestamp(nanoseconds: Int64(number) * 20_000_000)
        return SoundChunk([UInt8(truncatingIfNeeded: number), 7], time: time, number: number, channels: 2)
    }

    /// The numbers of the packets that it is sent now.
    private func take(_ listener: SoundListener, blocks: Int = 4096) throws -> [UInt32] {
        var taken: [UInt8] = []
        var block = [UInt8](repeating: 0, count: blocks)
        while case .bytes(let count) = block.withUnsafeMutableBytes({ listener.supply($0) }) {
            taken += block[..<count]
        }
        return try stride(from: 0, to: taken.count, by: 26).map { place in
            let record = try SoundRecord(whole: Array(taken[place..<(place + 26)]))
            #expect(record.packet == [UInt8(truncatingIfNeeded: record.number), 7])
            #expect(record.channels == 2 && record.time.nanoseconds == Int64(record.number) * 20_000_000)
            return record.number
        }
    }

    @Test(arguments: [1, 7, 23, 24, 25, 4096]) func allAreSentInOrderInBlocksOfAnySize(_ blocks: Int) throws {
        let listener = SoundListener()
        for number in 1...6 as ClosedRange<UInt32> { listener.offer(chunk(number)) }
        #expect(try take(listener, blocks: blocks) == [1, 2, 3, 4, 5, 6])
        #expect(listener.counts == (6, 0))
    }

    @Test func aSlowOneLosesTheOldestWholePackets() throws {
        let listener = SoundListener()
        listener.offer(chunk(1))
        // The first is on its way: it is finished.
        var block = [UInt8](repeating: 0, count: 10)
        #expect(block.withUnsafeMutableBytes { listener.supply($0) } == .bytes(10))
        for number in 2...1000 as ClosedRange<UInt32> { listener.offer(chunk(number)) }
        var rest = [UInt8](repeating: 0, count: 16)
        #expect(rest.withUnsafeMutableBytes { listener.supply($0) } == .bytes(16))
        #expect(rest.suffix(2) == [1, 7])
        #expect(try take(listener) == Array(976...1000))
        #expect(listener.counts == (1 + SoundListener.maxWaiting, 974))
    }

    @Test func aHeartbeatShowsThatTheConnectionLives() throws {
        let listener = SoundListener()
        var block = [UInt8](repeating: 1, count: 100)
        #expect(block.withUnsafeMutableBytes { listener.supply($0) } == .none)
        listener.beat()
        #expect(block.withUnsafeMutableBytes { listener.supply($0) } == .bytes(24))
        #expect(try SoundRecord(whole: Array(block[..<24])).packet.isEmpty)
        #expect(block.withUnsafeMutableBytes { listener.supply($0) } == .none)
        // A packet says as much.
        listener.beat()
        listener.offer(chunk(1))
        #expect(try take(listener) == [1])
    }

    @Test func whatIsCutOffEnds() {
        let listener = SoundListener()
        listener.offer(chunk(1))
        listener.cutOff()
        listener.offer(chunk(2))
        var block = [UInt8](repeating: 0, count: 100)
        #expect(block.withUnsafeMutableBytes { listener.supply($0) } == .end)
    }

    @Test func theProgramHearsOfTheFirstAndTheLast() {
        let heard = Guarded<[Bool]>([])
        let count = Guarded(0)
        let changes = Guarded(0)
        let news = SoundNews { isHeard in heard.withLock { $0.append(isHeard) } }
        // Nobody follows yet.
        news.tell()
        news.follow(
            SoundNews.Follower(isHeard: { count.withLock { $0 > 0 } }, changed: { changes.withLock { $0 += 1 } }))
        for number in [1, 2, 1, 0, 0, 1] {
            count.withLock { $0 = number }
            news.tell()
        }
        #expect(heard.withLock { $0 } == [true, false, true])
        #expect(changes.withLock { $0 } == 6)
    }
}
