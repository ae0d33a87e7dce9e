// SPDX-License-Identifier: MIT
// A host whose frames a test publishes, one by one, for sinks and stages.

import Camera
import FrameRing
import Glibc
import LivecapFrames
import LivecapPictures
import LivecapStreams
import Synchronization

/// What keeps a camera on, counted.
package final class CameraUses: Sendable {
    package let count = Atomic<Int>(0)

    package init() {}

    package final class Use: Sendable {
        private let uses: CameraUses
        package init(_ uses: CameraUses) {
            self.uses = uses
            uses.count.add(1, ordering: .relaxed)
        }
        deinit { uses.count.subtract(1, ordering: .relaxed) }
    }
}

/// A host with one stream.
package struct HandFilledHost: ~Copyable {
    package static let size = FrameSize(width: 64, height: 48)
    package static let grey = FrameFormat(pixelFormat: .grey, size: size)
    package static let source = SourceDescription(
        name: "given", identity: "given", format: grey, rate: FrameRate(30), clock: .own)

    /// The time of a frame.
    package static func time(_ number: Int) -> Timestamp {
        Timestamp(nanoseconds: 1_000_000_000 + Int64(number) * 33_333_333)
    }

    package let sinks: HostSinks
    package let hub: FrameHub
    package let uses = CameraUses()
    private let end: End

    /// The writing end of the ring, which ends with it.
    private final class End {
        var producer: RingProducer?
        init(filling ring: Ring) { producer = RingProducer(filling: ring) }
    }

    package init(_ sinks: HostSinks = HostSinks(), _ source: SourceDescription = HandFilledHost.source) throws {
        self.sinks = sinks
        let ring = try makeSlabRing(
            RingCapacity(duration: .seconds(1), byteCap: 1 << 20), format: source.format, rate: source.rate
        )
        .ring
        end = End(filling: ring)
        let uses = uses
        hub = FrameHub(ring, source, gate: nil, keepOn: { CameraUses.Use(uses) })
        sinks.begin(hub)
    }

    deinit {
        end.producer = nil
        sinks.stop(hub)
        sinks.end(hub, isLast: false)
    }

    /// Publishes a frame with a pattern, or with given bytes.
    package mutating func publish(_ number: Int, _ given: [UInt8] = []) {
        let id = end.producer?.publish { bytes in
            for (place, byte) in given.enumerated() { bytes.storeBytes(of: byte, toByteOffset: place, as: UInt8.self) }
            for place in 0..<bytes.byteCount where given.isEmpty {
                let value = place % 64 + place / 64 * 3 + place * 7919 * (number + 1) % 11
                bytes.storeBytes(of: UInt8(truncatingIfNeeded: value), toByteOffset: place, as: UInt8.self)
            }
            return FrameMetadata(
                time: Self.time(number), byteCount: given.isEmpty ? bytes.byteCount : given.count,
                sequence: UInt32(number),
                timeSource: .scene, uncertainty: .milliseconds(2), id: FrameID(epoch: 0, counter: 0))
        }
        precondition(id != nil, "readers of this host hold no slot for long")
    }

    /// Publishes frames from `first` on until the output has a picture, and returns it and the number of the next
    /// frame.
    package mutating func picture(_ output: FrameOutput, from first: Int) throws -> (picture: Picture, next: Int) {
        var number = first
        while true {
            publish(number)
            number += 1
            if case .picture(let picture) = output.next(until: .now + .milliseconds(20)) { return (picture, number) }
        }
    }
}

/// Waits for what other threads do. The suite's limit ends a wait for what never happens.
package func wait(for condition: () -> Bool) { while !condition() { sched_yield() } }
