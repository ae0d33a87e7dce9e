// SPDX-License-Identifier: MIT
// Steadying as a stage of a host: what its sinks get, when it works, and that it follows another stage.

import Camera
import FrameRing
import Glibc
import LivecapFrames
import LivecapHandFilledHost
import LivecapPictures
import LivecapStabilization
import LivecapStreams
import LivecapThreads
import Testing

@testable import LivecapLiveFusion

@Suite(.timeLimit(.minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60))) struct SteadyStageTests {
    @Test func picturesHaveTheTimesOfTheirFrames() throws {
        var host = try HandFilledHost()
        let stage = try StageHost.steadying { Issue.record("\($0)") }
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

    @Test func aFrameOfAnOddSizeIsShownAsTheNextSmallerEvenOne() throws {
        var source = HandFilledHost.source
        source.format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 65, height: 49))
        var host = try HandFilledHost(HostSinks(), source)
        let stage = try StageHost.steadying { Issue.record("\($0)") }
        _ = host.sinks.attach(stage)
        let output = FrameOutput()
        try stage.sinks.add(output)
        let (picture, _) = try host.picture(output, from: 0)
        #expect(picture.format.size == HandFilledHost.size)
        stage.close()
    }

    @Test func nothingIsSteadiedUnlessSomebodyWantsIt() throws {
        var host = try HandFilledHost()
        let stage = try StageHost.steadying { Issue.record("\($0)") }
        _ = host.sinks.attach(stage)
        wait { stage.present != nil }
        #expect(host.uses.count.load(ordering: .relaxed) == 0)
        let output = FrameOutput()
        try stage.sinks.add(output)
        let (_, next) = try host.picture(output, from: 0)
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

    @Test func framesAreFusedAndThenSteadied() throws {
        var host = try HandFilledHost()
        let fusing = try StageHost.fusing(threads: 1) { Issue.record("\($0)") }
        let steadying = try StageHost.steadying { Issue.record("\($0)") }
        _ = host.sinks.attach(fusing)
        _ = fusing.sinks.attach(steadying)
        let output = FrameOutput()
        try steadying.sinks.add(output)
        let (picture, _) = try host.picture(output, from: 0)
        #expect((0..<1000).contains { HandFilledHost.time($0) == picture.frame.time })
        steadying.close()
        let uses = host.uses
        wait { uses.count.load(ordering: .relaxed) == 0 }
        fusing.close()
    }

    @Test func aStreamThatCannotBeSteadiedIsReported() throws {
        let reported = Guarded<CameraError?>(nil)
        var source = HandFilledHost.source
        source.format = FrameFormat(pixelFormat: .h264, size: HandFilledHost.size)
        let stage = try StageHost.steadying { error in reported.withLock { $0 = error } }
        let host = try HandFilledHost(HostSinks(), source)
        _ = host.sinks.attach(stage)
        wait { reported.withLock { $0 } != nil }
        #expect(reported.withLock { $0 }?.message.contains("cannot be steadied") == true)
        #expect(stage.present == nil)
        stage.close()
    }

    /// Every frame of a source that waits for its readers, with the look-ahead that frames wait for.
    @Test(arguments: [StabilizationMode.standard, .cinematic]) func noFrameOfASourceThatWaitsIsMissing(
        _ mode: StabilizationMode
    ) throws {
        let gate = FollowerGate()
        let frames = (0..<40).map { number in
            let bytes = (0..<HandFilledHost.size.area).map { UInt8(truncatingIfNeeded: $0 % 64 * 3 + number) }
            let frame = FrameMetadata(
                time: HandFilledHost.time(number), byteCount: bytes.count, sequence: UInt32(number),
                timeSource: .scene, uncertainty: .milliseconds(2), id: FrameID(epoch: 0, counter: 0))
            return (frame, bytes)
        }
        let capture = try CaptureLoop(GivenFrames(HandFilledHost.grey, gate, frames), isRealTime: false)
        let host = RingHost(capture.ring, capture.description, gate: gate)
        let stage = try StageHost.steadying(mode) { Issue.record("\($0)") }
        let output = FrameOutput(FrameOutputSettings(delivery: .every, depth: 2))
        try stage.sinks.add(output)
        _ = host.sinks.attach(stage)
        capture.start()
        var times: [Timestamp] = []
        while case .picture(let picture) = output.next(until: .distantFuture) { times.append(picture.frame.time) }
        #expect(times == (0..<40).map(HandFilledHost.time))
        stage.close()
        capture.stop()
        host.close()
    }
}
