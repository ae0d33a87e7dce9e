// SPDX-License-Identifier: MIT
// How a stream handles each fault the driver can inject: docs/faults.md, from the library's side.

import FrameRing
import LivecapFrames
import Testing

@testable import Camera

extension DeviceLab {
    @Suite("faults of a stream")
    struct StreamFaultTests {
        @Test("a damaged buffer is one marked frame, without gap or restart", arguments: Transport.allCases)
        func damaged(transport: Transport) throws {
            let vivid = try Vivid()
            let stream = try LabStream(transport: transport)
            defer { stream.loop.stop() }
            _ = try stream.metadata(3)
            try vivid.set(.flagError)
            let frames = try stream.metadata(20)
            #expect(frames.filter { $0.damage == .driverFlag }.count == 1)
            #expect(frames.filter { !$0.isUsable }.count == 1)
            #expect(Set(frames.map(\.id.epoch)) == [0])
        }

        @Test("buffers the driver dropped are counted, to the frame", arguments: Transport.allCases)
        func dropped(transport: Transport) throws {
            let vivid = try Vivid()
            defer { try? vivid.reset() }
            let stream = try LabStream(fps: 60, transport: transport)
            defer { stream.loop.stop() }
            try vivid.set(.droppedPercentage, 30)
            let frames = try stream.metadata(60)
            for (before, after) in zip(frames, frames.dropFirst()) {
                // The driver derives its sequence number from the clock; if it runs late on a busy machine, it
                // gives a number twice.
                #expect(Int(after.lostBefore) == max(0, Int(after.sequence) - Int(before.sequence) - 1))
                #expect(after.flags.contains(.gapBefore) || after.lostBefore == 0)
            }
            #expect(frames.dropFirst().contains { $0.lostBefore > 0 }, "30 % of 60 buffers were to be dropped")
        }

        @Test("a refused stream-on is retried", arguments: Transport.allCases)
        func streamOn(transport: Transport) throws {
            try Vivid().set(.streamOnError)
            let stream = try LabStream(transport: transport)
            defer { stream.loop.stop() }
            let frames = try stream.metadata(5)
            #expect(frames.allSatisfy { $0.isUsable })
        }

        @Test("a refused buffer request leads to another transport")
        func request() throws {
            try Vivid().set(.requestError)
            let stream = try LabStream()
            defer { stream.loop.stop() }
            let frames = try stream.metadata(5)
            #expect(frames.allSatisfy { $0.isUsable })
        }

        @Test("a refused buffer is queued again", arguments: Transport.allCases)
        func queue(transport: Transport) throws {
            let vivid = try Vivid()
            let stream = try LabStream(transport: transport)
            defer { stream.loop.stop() }
            _ = try stream.metadata(3)
            // As many refusals as there are buffers: if each lost a buffer, the stream would end.
            for _ in 0..<10 {
                try vivid.set(.queueError)
                _ = try stream.metadata(2)
            }
            let frames = try stream.metadata(5)
            #expect(Set(frames.map(\.id.epoch)) == [0])
        }

        @Test("a failed stream is restarted as a new epoch", arguments: Transport.allCases)
        func fatal(transport: Transport) throws {
            let vivid = try Vivid()
            let stream = try LabStream(transport: transport)
            defer { stream.loop.stop() }
            let before = try #require(stream.metadata(3).last)
            try vivid.set(.fatalError)
            let frames = try stream.metadata(stream.ring.reserve + 10)
            let after = try #require(frames.first { $0.id.epoch == 1 }, "no new epoch: \(stream.loop.notices)")
            #expect(after.flags.contains(.firstOfEpoch))
            #expect(after.time > before.time)
            #expect(
                stream.loop.notices.contains {
                    if case .restarted = $0 { true } else { false }
                })
        }

        @Test("a disconnected camera is a named error, and opens again", arguments: Transport.allCases)
        func disconnect(transport: Transport) throws {
            let vivid = try Vivid()
            let stream = try LabStream(transport: transport)
            _ = try stream.metadata(3)
            try vivid.set(.disconnect)
            let error = try stream.failure()
            #expect(error == .disconnected(path: Lab.webcam))
            stream.loop.stop()
        }

        @Test("sequence numbers that wrap around are not a gap")
        func wrappingSequence() throws {
            let vivid = try Vivid()
            defer { try? vivid.reset() }
            try vivid.set(.wrapSequence)
            let stream = try LabStream(fps: 60)
            defer { stream.loop.stop() }
            let frames = try stream.metadata(200)
            let wrap = try #require(zip(frames, frames.dropFirst()).first { $0.sequence > $1.sequence })
            #expect(wrap.1.lostBefore == wrap.1.sequence &- wrap.0.sequence &- 1)
            #expect(Set(frames.map(\.id.epoch)) == [0])
        }

        @Test("times of no known clock are replaced by our own", arguments: [1, 2] as [Int64])
        func wrappingTimestamp(mode: Int64) throws {
            let vivid = try Vivid()
            defer { try? vivid.reset() }
            try vivid.set(.wrapTimestamp, mode)
            let stream = try LabStream()
            defer { stream.loop.stop() }
            let start = Timestamp.now
            let frames = try stream.metadata(30)
            #expect(frames.allSatisfy { $0.flags.contains(.distrustedTime) && $0.timeSource == .dequeue })
            #expect(frames.allSatisfy { $0.time > start - .milliseconds(5000) && $0.time <= .now })
            #expect(zip(frames, frames.dropFirst()).allSatisfy { $0.time <= $1.time })
        }

        @Test("a grabber without a signal is refused by name")
        func noSignal() throws {
            let vivid = try Vivid(Lab.hdmi)
            try vivid.set(.signalMode, 1)
            defer { try? vivid.set(.signalMode, 0) }
            let error = try LabError.of { try LabStream(Lab.hdmi, format: nil, size: nil, fps: nil) }
            #expect(error == .noSignal(path: Lab.hdmi))
        }

        @Test("a grabber that loses its signal is a named error")
        func losingSignal() throws {
            let vivid = try Vivid(Lab.hdmi)
            let stream = try LabStream(Lab.hdmi, fps: nil)
            _ = try stream.metadata(2)
            try vivid.set(.signalMode, 1)
            defer { try? vivid.set(.signalMode, 0) }
            let error = try stream.failure()
            #expect(error == .noSignal(path: Lab.hdmi))
        }
    }
}
