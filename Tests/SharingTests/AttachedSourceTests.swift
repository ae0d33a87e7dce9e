// SPDX-License-Identifier: MIT
// A camera that another livecap has, as a source.

import Camera
import FrameRing
import LivecapFrames
import Testing

@testable import LivecapSharing

@Suite struct AttachedSourceTests {
    private let ring: Ring
    private let server: SharingServer
    private let folder: Folder
    private let own: Ring

    init() throws {
        folder = try Folder()
        ring = try sharedRing()
        server = try SharingServer(path: folder.path + "/socket")
        let plan = try #require(
            RingCapacity(duration: .seconds(2), byteCap: 1 << 20).plan(format: camera.format, rate: camera.rate))
        own = try #require(Ring.slabs(plan, format: camera.format)).ring
    }

    private var host: RunningHost {
        RunningHost(pid: 7, command: "livecap run", source: camera, path: server.path)
    }

    /// A started source and the ring that it fills.
    private struct Attached: ~Copyable {
        let source: AttachedSource
        var producer: RingProducer

        mutating func step() throws -> StepOutcome { try source.step(&producer) }
    }

    private func attach(past: Duration?, _ description: SourceDescription = camera) throws -> Attached {
        server.offer(ring, description)
        let source = try AttachedSource(host, past: past)
        _ = try source.makeRing(RingCapacity(duration: past ?? .seconds(1), byteCap: 1 << 20))
        var producer = RingProducer(filling: own)
        try source.start(&producer)
        return Attached(source: source, producer: producer)
    }

    private func frames() -> [FrameMetadata] {
        var frames: [FrameMetadata] = []
        var subscription = FrameSubscription(to: own, fromOldest: true)
        while case .frame(let lease) = subscription.poll(.every) {
            let number = UInt8(truncatingIfNeeded: Int(lease.metadata.time.nanoseconds / 1000))
            lease.withBytes { bytes in
                for place in 0..<bytes.byteCount {
                    #expect(bytes.unsafeLoad(fromByteOffset: place, as: UInt8.self) == number)
                }
            }
            frames.append(lease.metadata)
        }
        return frames
    }

    @Test func framesOfThePastComeBeforeThoseThatFollow() throws {
        var producer = RingProducer(filling: ring)
        producer.put(1..<4)
        var attached = try attach(past: .seconds(1))
        for _ in 0..<3 { _ = try attached.step() }
        producer.put(4)
        _ = try attached.step()
        let frames = frames()
        #expect(frames.map(\.time.nanoseconds) == [1000, 2000, 3000, 4000])
        #expect(frames.map(\.sequence) == [8, 9, 10, 11] && frames.allSatisfy { $0.uncertainty == .microseconds(5) })
        #expect(frames.allSatisfy { $0.lostBefore == 0 && $0.timeSource == .endOfFrame })
    }

    @Test func itBeginsAsFarBackAsItIsTold() throws {
        var producer = RingProducer(filling: ring)
        producer.put(1..<4)
        // Frames are a microsecond apart.
        var attached = try attach(past: .microseconds(1))
        for _ in 0..<2 { _ = try attached.step() }
        let frames = frames()
        #expect(frames.map(\.time.nanoseconds) == [2000, 3000] && frames.allSatisfy { $0.lostBefore == 0 })
    }

    @Test func withoutAPastItBeginsWithTheNextFrame() throws {
        var producer = RingProducer(filling: ring)
        producer.put(1..<4)
        var attached = try attach(past: .zero)
        producer.put(4)
        _ = try attached.step()
        #expect(frames().map(\.time.nanoseconds) == [4000])
    }

    @Test func framesThatTheOtherRingDropsAreCountedAsLost() throws {
        var producer = RingProducer(filling: ring)
        producer.put(1)
        var attached = try attach(past: .zero)
        producer.put(2..<40)
        let outcome = try attached.step()
        #expect(outcome == .published(FrameID(epoch: 0, counter: 0)))
        let frame = try #require(frames().first)
        // Frame 2 would have been the first.
        #expect(Int(frame.lostBefore) == Int(frame.time.nanoseconds / 1000) - 2)
        #expect(frame.lostBefore > 20 && frame.flags.contains(.gapBefore))
    }

    @Test func epochsStay() throws {
        var producer = RingProducer(filling: ring)
        producer.put(1)
        producer.beginEpoch(5)
        producer.put(2)
        var attached = try attach(past: .seconds(1))
        for _ in 0..<2 { _ = try attached.step() }
        let frames = frames()
        #expect(frames.map(\.id.epoch) == [0, 5])
        #expect(frames.allSatisfy { $0.flags.contains(.firstOfEpoch) })
    }

    @Test func aShortFrameIsDamaged() throws {
        var producer = RingProducer(filling: ring)
        producer.put(1, byteCount: 100)
        var attached = try attach(past: .seconds(1))
        _ = try attached.step()
        #expect(frames().map(\.damage) == [.short])
    }

    @Test func timesOfASceneBecomeThoseOfThisMachine() throws {
        var producer = RingProducer(filling: ring)
        producer.put(1..<3)
        var scene = camera
        scene.clock = .own
        let before = Timestamp.now
        var attached = try attach(past: .seconds(1), scene)
        #expect(attached.source.description.clock == .monotonic)
        for _ in 0..<2 { _ = try attached.step() }
        let window = try #require(own.newestTime)
        #expect(window >= before && window <= .now)
    }

    @Test func theOthersEndIsAFailureThatNamesIt() throws {
        var attached = try attach(past: .zero)
        server.close()
        #expect(throws: CameraError.hostEnded(host: "livecap run (pid 7)", isChanged: false)) {
            while true { _ = try attached.step() }
        }
    }

    @Test func anotherFormatOfTheOtherIsAFailureToo() throws {
        var attached = try attach(past: .zero)
        server.offer(try sharedRing(), camera)
        #expect(throws: CameraError.hostEnded(host: "livecap run (pid 7)", isChanged: true)) {
            while true { _ = try attached.step() }
        }
    }

    @Test func aWaitIsInterrupted() throws {
        var attached = try attach(past: .zero)
        attached.source.interrupt()
        #expect(try attached.step() == .nothing)
    }

    @Test func nobodyWhoListensIsAnEnd() throws {
        server.close()
        #expect(throws: CameraError.hostEnded(host: "livecap run (pid 7)", isChanged: false)) {
            try AttachedSource(host)
        }
    }
}
