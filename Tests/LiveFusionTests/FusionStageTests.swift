// SPDX-License-Identifier: MIT
// Live fusion as a stage of a host: what its sinks get, and when it works.

import Camera
import FrameRing
import Glibc
import LivecapFrames
import LivecapPictures
import LivecapStreams
import LivecapThreads
import Synchronization
import Testing

@testable import LivecapLiveFusion

@Suite(.timeLimit(.minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60))) struct FusionStageTests {
    private static let size = FrameSize(width: 64, height: 48)
    private static let grey = FrameFormat(pixelFormat: .grey, size: size)
    private static let source = SourceDescription(
        name: "given", identity: "given", format: grey, rate: FrameRate(30), clock: .own)

    /// What keeps a camera on, counted.
    private final class Uses: Sendable {
        let count = Atomic<Int>(0)

        final class Use: Sendable {
            private let uses: Uses
            init(_ uses: Uses) {
                self.uses = uses
                uses.count.add(1, ordering: .relaxed)
            }
            deinit { uses.count.subtract(1, ordering: .relaxed) }
        }
    }

    /// A host whose frames a test publishes, one by one.
    private struct Host: ~Copyable {
        let sinks: HostSinks
        let hub: FrameHub
        let uses = Uses()
        var producer: RingProducer

        init(_ sinks: HostSinks = HostSinks(), _ source: SourceDescription = FusionStageTests.source) throws {
            self.sinks = sinks
            let ring = try makeSlabRing(
                RingCapacity(duration: .seconds(1), byteCap: 1 << 20), format: source.format, rate: source.rate
            )
            .ring
            producer = RingProducer(filling: ring)
            let uses = uses
            hub = FrameHub(ring, source, gate: nil, keepOn: { Uses.Use(uses) })
            sinks.begin(hub)
        }

        mutating func publish(_ number: Int) {
            let id = producer.publish { bytes in
                for place in 0..<bytes.byteCount {
                    let value = place % 64 + place / 64 * 3 + place * 7919 * (number + 1) % 11
                    bytes.storeBytes(of: UInt8(truncatingIfNeeded: value), toByteOffset: place, as: UInt8.self)
                }
                return FrameMetadata(
                    time: FusionStageTests.time(number), byteCount: bytes.byteCount, sequence: UInt32(number),
                    timeSource: .scene, uncertainty: .milliseconds(2), id: FrameID(epoch: 0, counter: 0))
            }
            #expect(id != nil)
        }
    }

    private static func time(_ number: Int) -> Timestamp {
        Timestamp(nanoseconds: 1_000_000_000 + Int64(number) * 33_333_333)
    }

    /// Waits for what other threads do. The suite's limit ends a wait for what never happens.
    private func wait(for condition: () -> Bool) { while !condition() { sched_yield() } }

    /// Publishes frames from `first` on until the output has a picture, and returns it and the number of the next frame.
    private func picture(
        _ output: FrameOutput, _ host: inout Host, from first: Int
    ) throws -> (picture: Picture, next: Int) {
        var number = first
        while true {
            host.publish(number)
            number += 1
            if case .picture(let picture) = output.next(until: .now + .milliseconds(20)) { return (picture, number) }
        }
    }

    @Test func picturesHaveTheTimesOfTheirFrames() throws {
        var host = try Host()
        let stage = try StageHost.fusing(threads: 1) { Issue.record("\($0)") }
        _ = host.sinks.attach(stage)
        let output = FrameOutput()
        try stage.sinks.add(output)
        let (first, next) = try picture(output, &host, from: 0)
        let (second, _) = try picture(output, &host, from: next)
        #expect(first.frame.time < second.frame.time)
        #expect((0..<100).contains { Self.time($0) == second.frame.time })
        #expect(second.format.size == Self.size)
        stage.close()
    }

    @Test func nothingIsFusedUnlessSomebodyWantsIt() throws {
        var host = try Host()
        let stage = try StageHost.fusing(threads: 1) { Issue.record("\($0)") }
        _ = host.sinks.attach(stage)
        wait { stage.present != nil }
        #expect(host.uses.count.load(ordering: .relaxed) == 0)
        for number in 0..<3 { host.publish(number) }
        let output = FrameOutput()
        try stage.sinks.add(output)
        let (picture, next) = try picture(output, &host, from: 3)
        #expect(picture.frame.time > Self.time(2))
        #expect(host.uses.count.load(ordering: .relaxed) > 0)
        stage.sinks.remove(output)
        let uses = host.uses
        wait { uses.count.load(ordering: .relaxed) == 0 }
        for number in next..<next + 3 { host.publish(number) }
        let another = FrameOutput()
        try stage.sinks.add(another)
        // Frames that came while nobody wanted any are not made up for.
        let (later, _) = try self.picture(another, &host, from: next + 3)
        #expect(later.frame.time > Self.time(next + 2))
        stage.close()
    }

    @Test func aWatchedOutputLivesThroughAChangeOfTheStream() throws {
        let sinks = HostSinks()
        let stage = try StageHost.fusing(threads: 1) { Issue.record("\($0)") }
        _ = sinks.attach(stage)
        let output = FrameOutput()
        try stage.sinks.add(output)
        var before = try Host(sinks)
        _ = try picture(output, &before, from: 0)
        before.hub.retire()
        let old = before.hub
        _ = consume before
        sinks.end(old, isLast: false)
        var wide = Self.source
        wide.format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 96, height: 64))
        var after = try Host(sinks, wide)
        let (picture, _) = try picture(output, &after, from: 200)
        #expect(picture.frame.time >= Self.time(200) && picture.format.size == wide.format.size)
        stage.close()
    }

    @Test func itsOutputsEndWithIt() throws {
        let host = try Host()
        let stage = try StageHost.fusing(threads: 1) { Issue.record("\($0)") }
        _ = host.sinks.attach(stage)
        let output = FrameOutput()
        try stage.sinks.add(output)
        wait { stage.present != nil }
        stage.close()
        guard case .ended = output.next(until: .distantFuture) else {
            _ = Issue.record("a picture came")
            return
        }
        #expect(!output.isConnected)
        let uses = host.uses
        wait { uses.count.load(ordering: .relaxed) == 0 }
    }

    @Test func aStreamThatCannotBeFusedIsReported() throws {
        let reported = Guarded<CameraError?>(nil)
        var source = Self.source
        source.format = FrameFormat(pixelFormat: PixelFormat("BA81"), size: Self.size)
        let stage = try StageHost.fusing(threads: 1) { error in reported.withLock { $0 = error } }
        let host = try Host(HostSinks(), source)
        _ = host.sinks.attach(stage)
        wait { reported.withLock { $0 } != nil }
        #expect(reported.withLock { $0 }?.message.contains("cannot be fused") == true)
        #expect(stage.present == nil)
        stage.close()
    }

    @Test func outputsEndIfTheNextStreamCannotBeFused() throws {
        let reported = Guarded(false)
        let sinks = HostSinks()
        let stage = try StageHost.fusing(threads: 1) { _ in reported.withLock { $0 = true } }
        _ = sinks.attach(stage)
        let output = FrameOutput()
        try stage.sinks.add(output)
        var before = try Host(sinks)
        _ = try picture(output, &before, from: 0)
        before.hub.retire()
        let old = before.hub
        _ = consume before
        sinks.end(old, isLast: false)
        var bayer = Self.source
        bayer.format = FrameFormat(pixelFormat: PixelFormat("BA81"), size: Self.size)
        let after = try Host(sinks, bayer)
        while case .picture = output.next(until: .distantFuture) {}
        wait { reported.withLock { $0 } }
        #expect(stage.present == nil)
        stage.close()
        _ = consume after
    }

    @Test func aCameraRestsIfItsFramesShowNothing() throws {
        var source = Self.source
        source.format = FrameFormat(pixelFormat: .mjpeg, size: Self.size)
        let stage = try StageHost.fusing(threads: 1) { Issue.record("\($0)") }
        var host = try Host(HostSinks(), source)
        _ = host.sinks.attach(stage)
        let uses = host.uses
        wait { uses.count.load(ordering: .relaxed) > 0 }
        var number = 0
        // None of these is a JPEG frame.
        while uses.count.load(ordering: .relaxed) > 0 {
            host.publish(number)
            number += 1
            sched_yield()
        }
        #expect(number >= 300 && stage.present == nil)
        stage.close()
    }

    /// Runs a test of an output that takes every one of 40 fused frames of a source that waits for its readers.
    private func withPacedFrames(_ body: (FrameOutput, StageHost) throws -> Void) throws {
        let gate = FollowerGate()
        let frames = (0..<40).map { number in
            let bytes = [UInt8](repeating: UInt8(number), count: Self.size.area)
            let frame = FrameMetadata(
                time: Self.time(number), byteCount: bytes.count, sequence: UInt32(number), timeSource: .scene,
                uncertainty: .milliseconds(2), id: FrameID(epoch: 0, counter: 0))
            return (frame, bytes)
        }
        let capture = try CaptureLoop(GivenFrames(Self.grey, gate, frames), isRealTime: false)
        let host = RingHost(capture.ring, capture.description, gate: gate)
        let stage = try StageHost.fusing(threads: 1) { Issue.record("\($0)") }
        let output = FrameOutput(FrameOutputSettings(delivery: .every, depth: 2))
        try stage.sinks.add(output)
        _ = host.sinks.attach(stage)
        capture.start()
        try body(output, stage)
        stage.close()
        capture.stop()
        host.close()
    }

    @Test func aReaderThatTakesNothingDoesNotKeepItFromEnding() throws {
        try withPacedFrames { output, stage in
            guard case .picture = output.next(until: .distantFuture) else {
                _ = Issue.record("no picture")
                return
            }
            stage.close()
            #expect(!output.isConnected)
        }
    }

    @Test func noFrameOfASourceThatWaitsIsMissing() throws {
        try withPacedFrames { output, _ in
            var times: [Timestamp] = []
            while case .picture(let picture) = output.next(until: .distantFuture) { times.append(picture.frame.time) }
            #expect(times == (0..<40).map(Self.time))
        }
    }

    @Test func theFrameThatAnEpochBeganWithIsKnown() {
        let origins = FrameOrigins()
        origins.note(own: 0, of: 12)
        origins.note(own: 5, of: 40)
        #expect([0, 4, 5, 90].map(origins.origin(of:)) == [12, 12, 40, 40])
    }
}
