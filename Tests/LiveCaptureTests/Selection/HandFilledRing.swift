// SPDX-License-Identifier: MIT
// A ring filled frame by frame, and which frames are selected from it.

import FrameRing
import LivecapFrames

@testable import LiveCapture
@testable import LivecapDeveloping

/// A ring and its producer. Frames are 10 ms apart unless a test says otherwise.
final class HandFilledRing {
    static let interval = Duration.milliseconds(10)
    static let format = FrameFormat(pixelFormat: .yuyv, size: FrameSize(width: 32, height: 32))

    let ring: Ring
    private var producer: RingProducer

    init(_ format: FrameFormat = HandFilledRing.format, history: Int = 40) {
        let memory = SlotMemory.slabs(count: history + 1, bytesEach: format.byteCount)!
        ring = Ring(format: format, memory: memory, reserve: 1)
        producer = RingProducer(filling: ring)
    }

    /// Publishes a frame at this time in milliseconds. Traps if there is no free slot, which is a fault of the
    /// test.
    @discardableResult
    func frame(
        at milliseconds: Double, damage: Damage = .none, lostBefore: UInt32 = 0, uncertainty: Duration = .zero,
        bytes: [UInt8]? = nil
    ) -> FrameMetadata {
        guard let slot = producer.claim() else { preconditionFailure("every slot is held") }
        let memory = producer.bytes(of: slot)
        let bytes = bytes ?? Self.picture(number: Int(ring.nextCounter), byteCount: ring.format.byteCount)
        memory.copyBytes(from: bytes)
        var frame = FrameMetadata(
            time: moment(milliseconds), byteCount: bytes.count, uncertainty: uncertainty,
            flags: lostBefore > 0 ? .gapBefore : [], damage: damage, lostBefore: lostBefore)
        frame.id = producer.publish(slot, frame)
        return frame
    }

    /// Publishes frames `numbers`, 10 ms apart.
    func frames(_ numbers: Range<Int>) { for number in numbers { frame(at: Double(10 * number)) } }

    func beginEpoch() { producer.beginEpoch() }

    /// Whether no frame is leased. A leased one would stay while the history moves on.
    func isFree(from milliseconds: Double) -> Bool {
        let last = ring.nextCounter
        for number in 0..<ring.historyLimit { frame(at: milliseconds + Double(10 * number)) }
        return ring.oldest?.id.counter == last
    }

    /// A picture with an edge in it, different from that of the previous frame.
    static func picture(number: Int, byteCount: Int) -> [UInt8] {
        let period = 2 * 16 * 7
        let pattern = (0..<period).map { UInt8(truncatingIfNeeded: $0 / 16 % 2 * 90 + $0 % 7 * 9 + number % 5 + 40) }
        // Copied, because unoptimised builds take long to compute each byte.
        return [UInt8](unsafeUninitializedCapacity: byteCount) { memory, count in
            for start in stride(from: 0, to: byteCount, by: period) {
                UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(memory)[start...])
                    .copyBytes(from: pattern.prefix(byteCount - start))
            }
            count = byteCount
        }
    }
}

/// This many milliseconds after the clock's zero.
func moment(_ milliseconds: Double) -> Timestamp { Timestamp(nanoseconds: Int64(milliseconds * 1_000_000)) }

extension Ring {
    /// The selection for a moment in one line: the counters of the frames, the nearest in brackets, or why there
    /// are none.
    func found(
        at milliseconds: Double, frames: Int = 1, after: Int = 0, hasPast: Bool = true, isPaced: Bool = true,
        mayWait: Bool = false
    ) -> String {
        let wish = FrameWish(
            moment: moment(milliseconds), frames: frames, after: after, hasPast: hasPast,
            interval: HandFilledRing.interval, isPaced: isPaced)
        switch find(wish, mayWait: mayWait) {
        case .notYet: return "not yet"
        case .nothing(let error): return "\(error)"
        case .found(let choice):
            var words = choice.frames.enumerated().map { index, frame in
                let counter = "\(frame.metadata.id.counter)"
                return index == choice.nearest ? "[\(counter)]" : counter
            }
            if !choice.damaged.isEmpty { words.append("damaged \(choice.damaged.map(\.id.counter))") }
            return words.joined(separator: " ")
        }
    }
}
