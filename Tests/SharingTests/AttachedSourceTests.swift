// SPDX-License-Identifier: MIT
// A camera that another livecap has, as a source.

import Camera
import FrameRing
import Glibc
import LivecapCSystem
import LivecapFrames
import Shutter
import Testing

@testable import LivecapSharing

@Suite struct AttachedSourceTests {
    private let ring: Ring
    private let server: SharingServer
    private let folder: Folder
    private let own: Ring
    /// The tests' frames are as old as this machine.
    private static let ever = Duration.seconds(1 << 32)

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

    /// What is known of the frames so far.
    private var metadata: [FrameMetadata] {
        var all: [FrameMetadata] = []
        var subscription = FrameSubscription(to: own, fromOldest: true)
        while case .frame(let lease) = subscription.poll(.every) { all.append(lease.metadata) }
        return all
    }

    /// The same, of frames whose bytes are those of their times.
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
        var attached = try attach(past: Self.ever)
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
        // Frames are a microsecond apart. Of a scene, the newest is of now.
        var scene = camera
        scene.clock = .own
        var attached = try attach(past: .microseconds(1), scene)
        for _ in 0..<2 { _ = try attached.step() }
        let frames = metadata
        #expect(frames.map(\.sequence) == [9, 10] && frames.allSatisfy { $0.lostBefore == 0 })
    }

    @Test(arguments: [(SourceClock.own, 2), (.own, 3), (.monotonic, 1 << 50)])
    func aPastThatIsNeededIsThereOrItIsRefused(clock: SourceClock, microseconds: Int) throws {
        var producer = RingProducer(filling: ring)
        producer.put(1..<4)
        var source = camera
        source.clock = clock
        server.offer(ring, source)
        // The frames of a scene are two microseconds from first to last.
        guard microseconds > 2 else {
            _ = try AttachedSource(host, needed: .microseconds(microseconds))
            return
        }
        let error = #expect(throws: CameraError.self) {
            try AttachedSource(host, needed: .microseconds(microseconds))
        }
        #expect(error?.message.contains("exceeds the history of livecap run (pid 7)") == true)
    }

    @Test(arguments: [(10, true), (5, false), (0, true)])
    func noPictureIsOfATimeInWhichTheCameraWasOff(seconds: Int, isThere: Bool) throws {
        var producer = RingProducer(filling: ring)
        let now = Timestamp.now
        producer.put(1, at: now - .seconds(10))
        producer.put(2, at: now)
        server.offer(ring, camera)
        guard !isThere else {
            // A little less, because time goes on.
            _ = try AttachedSource(host, needed: .seconds(seconds) - .milliseconds(seconds == 0 ? 0 : 200))
            return
        }
        let error = #expect(throws: CameraError.self) { try AttachedSource(host, needed: .seconds(seconds)) }
        #expect(error?.message.contains("its camera was off") == true)
    }

    @Test func theRingHasRoomForFramesAsLargeAsTheOthers() throws {
        var large = camera
        large.format = FrameFormat(pixelFormat: .mjpeg, size: FrameSize(width: 640, height: 480))
        let capacity = RingCapacity(duration: .seconds(2), byteCap: 64 << 20, isShared: true)
        let plan = try #require(capacity.plan(format: large.format, rate: large.rate))
        let ring = try #require(Ring.slabs(plan, format: large.format)).ring
        var producer = RingProducer(filling: ring)
        for number in 1..<6 { producer.put(number, byteCount: 200_000) }
        server.offer(ring, large)
        let source = try AttachedSource(host)
        let granted = try source.makeRing(RingCapacity(duration: .seconds(2), byteCap: 64 << 20)).granted
        // 61 frames, and a quarter more.
        #expect(granted.bytes >= 61 * 250_000)
    }

    @Test func whatIsOlderThanThePastIsNotPartOfIt() throws {
        var producer = RingProducer(filling: ring)
        producer.put(1..<4)
        // The camera was switched off long ago.
        var attached = try attach(past: .seconds(1))
        producer.put(4)
        _ = try attached.step()
        #expect(metadata.map(\.sequence) == [11])
    }

    @Test func thePastWaitsForThoseWhoFollow() throws {
        var producer = RingProducer(filling: ring)
        producer.put(1..<6)
        server.offer(ring, camera)
        let gate = FollowerGate()
        let source = try AttachedSource(host, past: Self.ever, gate: gate)
        // Room for two frames.
        let loop = try CaptureLoop(
            source, capacity: RingCapacity(duration: .zero, byteCap: 3 * 4096), isRealTime: false)
        var follower = FrameSubscription(to: loop.ring, fromOldest: true, gate: gate)
        loop.start()
        var sequences: [UInt32] = []
        while sequences.count < 5, case .frame(let lease) = follower.next(until: .distantFuture) {
            sequences.append(lease.metadata.sequence)
        }
        #expect(sequences == [8, 9, 10, 11, 12] && follower.missed == 0)
        loop.stop()
    }

    @Test func anotherCameraThatTakesOverIsAFailureToo() throws {
        var producer = RingProducer(filling: ring)
        producer.put(1)
        var attached = try attach(past: Self.ever)
        _ = try attached.step()
        var other = camera
        other.identity = "other"
        ring.memory.file?.name(other)
        producer.beginEpoch()
        producer.put(2)
        #expect(throws: CameraError.hostEnded(host: "livecap run (pid 7)", isChanged: true)) {
            while true { _ = try attached.step() }
        }
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
        var attached = try attach(past: Self.ever)
        for _ in 0..<2 { _ = try attached.step() }
        let frames = frames()
        #expect(frames.map(\.id.epoch) == [0, 5])
        #expect(frames.allSatisfy { $0.flags.contains(.firstOfEpoch) })
    }

    @Test func aShortFrameIsDamaged() throws {
        var producer = RingProducer(filling: ring)
        producer.put(1, byteCount: 100)
        var attached = try attach(past: Self.ever)
        _ = try attached.step()
        #expect(frames().map(\.damage) == [.short])
    }

    @Test func timesOfASceneBecomeThoseOfThisMachine() throws {
        var producer = RingProducer(filling: ring)
        producer.put(1..<3)
        var scene = camera
        scene.clock = .own
        let before = Timestamp.now
        var attached = try attach(past: Self.ever, scene)
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

    @Test func onlyDeadSocketsAreRemoved() throws {
        let address = SocketAddress(path: server.path)
        #expect(throws: ShutterError.socketInUse(path: server.path)) { try ListeningSocket.removeDead(at: address) }
        let dead = folder.path + "/dead"
        let descriptor = lc_unix_socket()
        try #require(lc_unix_bind(descriptor, dead) == 0)
        close(descriptor)
        try ListeningSocket.removeDead(at: SocketAddress(path: dead))
        #expect(access(dead, F_OK) != 0 && access(server.path, F_OK) == 0)
    }

    @Test func nobodyWhoListensIsAnEnd() throws {
        server.close()
        #expect(throws: CameraError.hostEnded(host: "livecap run (pid 7)", isChanged: false)) {
            try AttachedSource(host)
        }
    }
}
