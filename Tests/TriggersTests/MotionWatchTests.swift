// SPDX-License-Identifier: MIT
// A host's frames are watched while somebody follows, and whoever follows learns of the end.

import Camera
import Glibc
import LivecapFrames
import LivecapHandFilledHost
import LivecapStreams
import LivecapThreads
import Testing

@testable import LivecapTriggers

@Suite(.timeLimit(.minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60))) struct MotionWatchTests {
    @Test func theCameraStaysOnWhileSomebodyFollows() throws {
        let watch = MotionWatch()
        var host = try HandFilledHost()
        let detach = host.sinks.attach(watch)
        for number in 0..<10 { host.publish(number) }
        #expect(host.uses.count.load(ordering: .relaxed) == 0)
        let leave = try watch.follow(MotionTrigger()) { _ in }
        wait { host.uses.count.load(ordering: .relaxed) == 1 }
        leave()
        wait { host.uses.count.load(ordering: .relaxed) == 0 }
        detach()
        watch.close()
    }

    @Test func whoFollowsLearnsThatTheHostHasEnded() throws {
        let watch = MotionWatch()
        let host = try HandFilledHost()
        _ = host.sinks.attach(watch)
        let ends = Guarded(0)
        _ = try watch.follow(MotionTrigger(), end: { _ in ends.withLock { $0 += 1 } }) { _ in }
        host.sinks.removeAll()
        #expect(ends.withLock { $0 } == 1)
        _ = try watch.follow(MotionTrigger(), end: { _ in ends.withLock { $0 += 1 } }) { _ in }
        #expect(ends.withLock { $0 } == 2)
        watch.close()
    }

    @Test func whoFollowsLearnsThatFramesCannotBeRead() throws {
        let watch = MotionWatch()
        let format = FrameFormat(pixelFormat: .h264, size: HandFilledHost.size)
        let source = SourceDescription(
            name: "given", identity: "given", format: format, rate: FrameRate(30), clock: .own)
        let host = try HandFilledHost(HostSinks(), source)
        let detach = host.sinks.attach(watch)
        let failures = Guarded<[String]>([])
        _ = try watch.follow(
            MotionTrigger(), end: { error in failures.withLock { $0.append(error?.message ?? "") } }
        ) { _ in }
        wait { failures.withLock { !$0.isEmpty } }
        #expect(failures.withLock { $0[0] }.contains("motion cannot be noticed"))
        detach()
        watch.close()
    }
}
