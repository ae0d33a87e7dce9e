// SPDX-License-Identifier: MIT
// Live fusion as a stage of a host: what its sinks get, and when it works.

import Camera
import FrameRing
import Glibc
import LivecapFrames
import LivecapHandFilledHost
import LivecapPictures
import LivecapStreams
import LivecapThreads
import Synchronization
import Testing

@testable import LivecapLiveFusion

@Suite(.timeLimit(.minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60))) struct FusionStageTests {
    @Test func picturesHaveTheTimesOfTheirFrames() throws {
        var host = try HandFilledHost()
        let stage = try StageHost.fusing(threads: 1) { Issue.record("\($0)") }
        _ = host.sinks.attach(stage)
        let output = FrameOutput()
        try stage.sinks.add(output)
        let (first, next) = try host.picture(output, from: 0)
        let (second, _) = try host.picture(output, from: next)
        #expect(first.frame.time < second.frame.time)
        #expect((0..<100).contains { HandFilledHost.time($0) == second.frame.time })
        #expect(second.format.size == HandFilledHost.size)
        stage.close()
    }

    @Test func nothingIsFusedUnlessSomebodyWantsIt() throws {
        var host = try HandFilledHost()
        let stage = try StageHost.fusing(threads: 1) { Issue.record("\($0)") }
        _ = host.sinks.attach(stage)
        wait { stage.present != nil }
        #expect(host.uses.count.load(ordering: .relaxed) == 0)
        for number in 0..<3 { host.publish(number) }
        let output = FrameOutput()
        try stage.sinks.add(output)
        let (picture, next) = try host.picture(output, from: 3)
        #expect(picture.frame.time > HandFilledHost.time(2))
        #expect(host.uses.count.load(ordering: .relaxed) > 0)
        stage.sinks.remove(output)
        let uses = host.uses
        wait { uses.count.load(ordering: .relaxed) == 0 }
        for number in next..<next + 3 { host.publish(number) }
        let another = FrameOutput()
        try stage.sinks.add(another)
        // Frames that came while nobody wanted any are not made up for; the newest may be the first.
        let (later, _) = try host.picture(another, from: next + 3)
        #expect(later.frame.time >= HandFilledHost.time(next + 2))
        stage.close()
    }

    @Test func itWorksForItsPastButDoesNotKeepTheCameraOn() throws {
        var host = try HandFilledHost()
        let fusing = try StageHost.fusing(threads: 1) { Issue.record("\($0)") }
        _ = host.sinks.attach(fusing)
        let steadying = try StageHost.steadying(after: fusing.treatment, past: .seconds(1)) { Issue.record("\($0)") }
        _ = fusing.sinks.attach(steadying)
        var number = 0
        while steadying.present?.ring.newestTime == nil {
            host.publish(number)
            number += 1
            sched_yield()
        }
        #expect(host.uses.count.load(ordering: .relaxed) == 0)
        #expect(steadying.treatment.words == "fused and steadied")
        steadying.close()
        fusing.close()
    }

    @Test func aWatchedOutputLivesThroughAChangeOfTheStream() throws {
        let sinks = HostSinks()
        let stage = try StageHost.fusing(threads: 1) { Issue.record("\($0)") }
        _ = sinks.attach(stage)
        let output = FrameOutput()
        try stage.sinks.add(output)
        var before = try HandFilledHost(sinks)
        _ = try before.picture(output, from: 0)
        before.hub.retire()
        let old = before.hub
        _ = consume before
        sinks.end(old, isLast: false)
        var wide = HandFilledHost.source
        wide.format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 96, height: 64))
        var after = try HandFilledHost(sinks, wide)
        let (picture, _) = try after.picture(output, from: 200)
        #expect(picture.frame.time >= HandFilledHost.time(200) && picture.format.size == wide.format.size)
        stage.close()
    }

    @Test func itsOutputsEndWithIt() throws {
        let host = try HandFilledHost()
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
        var source = HandFilledHost.source
        source.format = FrameFormat(pixelFormat: PixelFormat("BA81"), size: HandFilledHost.size)
        let stage = try StageHost.fusing(threads: 1) { error in reported.withLock { $0 = error } }
        let host = try HandFilledHost(HostSinks(), source)
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
        var before = try HandFilledHost(sinks)
        _ = try before.picture(output, from: 0)
        before.hub.retire()
        let old = before.hub
        _ = consume before
        sinks.end(old, isLast: false)
        var bayer = HandFilledHost.source
        bayer.format = FrameFormat(pixelFormat: PixelFormat("BA81"), size: HandFilledHost.size)
        let after = try HandFilledHost(sinks, bayer)
        while case .picture = output.next(until: .distantFuture) {}
        wait { reported.withLock { $0 } }
        #expect(stage.present == nil)
        stage.close()
        _ = consume after
    }

    @Test func aCameraRestsIfItsFramesShowNothing() throws {
        var source = HandFilledHost.source
        source.format = FrameFormat(pixelFormat: .mjpeg, size: HandFilledHost.size)
        let stage = try StageHost.fusing(threads: 1) { Issue.record("\($0)") }
        var host = try HandFilledHost(HostSinks(), source)
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
            let bytes = [UInt8](repeating: UInt8(number), count: HandFilledHost.size.area)
            let frame = FrameMetadata(
                time: HandFilledHost.time(number), byteCount: bytes.count, sequence: UInt32(number), timeSource: .scene,
                uncertainty: .milliseconds(2), id: FrameID(epoch: 0, counter: 0))
            return (frame, bytes)
        }
        let capture = try CaptureLoop(GivenFrames(HandFilledHost.grey, gate, frames), isRealTime: false)
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
            #expect(times == (0..<40).map(HandFilledHost.time))
        }
    }

    @Test func theFrameThatAnEpochBeganWithIsKnown() {
        let origins = FrameOrigins()
        origins.note(own: 0, of: 12)
        origins.note(own: 5, of: 40)
        #expect([0, 4, 5, 90].map(origins.origin(of:)) == [12, 12, 40, 40])
    }
}
