// SPDX-License-Identifier: MIT
// Facts are found in a host's frames while somebody follows, and only what is asked for.

import Camera
import Fusion
import Glibc
import LivecapDetection
import LivecapFacts
import LivecapFrames
import LivecapHandFilledHost
import LivecapThreads
import Testing

/// Finds a face as bright as the picture's first sample, and counts what it is asked to do.
private final class OneFace: FactReading {
    let planes: PicturePlanes
    private let kinds: Set<FactKind>

    init(_ kind: PictureKind, _ kinds: Set<FactKind>) {
        planes = PicturePlanes(kind.size)
        self.kinds = kinds
    }

    func read(after seconds: Double) -> (faces: [FaceFacts]?, hands: [HandFacts]?) {
        let box = PictureBox(origin: PicturePoint(x: 0, y: 0), width: 1, height: 1)
        let face = FaceFacts(id: 1, box: box, confidence: Float(planes.luma.row(0)[0]))
        return (kinds.contains(.faces) ? [face] : nil, kinds.contains(.hands) ? [] : nil)
    }

    func forget() {}
}

@Suite(.timeLimit(.minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60)))
struct FactFinderTests {
    private final class Record: Sendable {
        let facts = Guarded<[FrameFacts]>([])
        let readers = Guarded<[Set<FactKind>]>([])

        var finder: FactFinder {
            FactFinder(reactions: { [.rain] }) { [self] (kind, kinds) throws(NetError) in
                readers.withLock { $0.append(kinds) }
                return OneFace(kind, kinds)
            }
        }

        func take(_ facts: FrameFacts) { self.facts.withLock { $0.append(facts) } }
        var count: Int { facts.withLock { $0.count } }
    }

    @Test func nobodyFollowsAndNothingIsLoaded() throws {
        let record = Record(), finder = record.finder
        var host = try HandFilledHost()
        let detach = host.sinks.attach(finder)
        for number in 0..<10 { host.publish(number) }
        #expect(host.uses.count.load(ordering: .relaxed) == 0)
        detach()
        // Waits for its thread, if there is one.
        finder.close()
        #expect(record.readers.withLock { $0.isEmpty })
    }

    @Test func aFollowerGetsFactsOfFrames() throws {
        let record = Record(), finder = record.finder
        var host = try HandFilledHost()
        let detach = host.sinks.attach(finder)
        let leave = try finder.follow([.faces]) { record.take($0) }
        var number = 0
        while record.count == 0 {
            host.publish(number, [UInt8](repeating: 77, count: HandFilledHost.size.area))
            number += 1
            sched_yield()
        }
        let first = record.facts.withLock { $0[0] }
        #expect(first.faces?.map(\.confidence) == [77])
        #expect(first.hands == nil)
        #expect(first.reactions == [.rain])
        #expect(first.time == HandFilledHost.time(Int(first.frame.counter)))
        leave()
        // The camera is let go.
        wait { host.uses.count.load(ordering: .relaxed) == 0 }
        detach()
        finder.close()
    }

    @Test func eachFollowerGetsWhatItAskedFor() throws {
        let record = Record(), other = Record(), finder = record.finder
        var host = try HandFilledHost()
        let detach = host.sinks.attach(finder)
        let leave = try finder.follow([.faces]) { record.take($0) }
        let leaveOther = try finder.follow([.hands]) { other.take($0) }
        var number = 0
        func bothKnow() -> Bool {
            record.readers.withLock { $0.contains([.faces, .hands]) } && record.count > 0 && other.count > 0
        }
        while !bothKnow() {
            host.publish(number)
            number += 1
            sched_yield()
        }
        #expect(record.facts.withLock { $0.allSatisfy { $0.faces != nil && $0.hands == nil } })
        #expect(other.facts.withLock { $0.allSatisfy { $0.faces == nil && $0.hands != nil } })
        leave()
        leaveOther()
        detach()
        finder.close()
    }

    @Test func noMoreFramesAreLookedAtThanFollowersWant() throws {
        let record = Record(), finder = record.finder
        var host = try HandFilledHost()
        let detach = host.sinks.attach(finder)
        let leave = try finder.follow([.faces], maxRate: FrameRate(10)) { record.take($0) }
        var number = 0
        while record.count < 5 {
            host.publish(number)
            number += 1
            sched_yield()
        }
        let times = record.facts.withLock { $0.map(\.time) }
        // A frame that is taken late does not delay those after the next one.
        #expect(times[4] - times[0] > .milliseconds(350), "\(times)")
        // Another one wants all of them.
        let leaveOther = try finder.follow([.faces]) { _ in }
        for _ in 0..<6 {
            let count = record.count
            host.publish(number)
            number += 1
            wait { record.count > count }
        }
        leaveOther()
        leave()
        detach()
        finder.close()
    }

    /// Two who begin at the same time are served by one thread, so that the end of the host ends everything.
    @Test func manyWhoBeginAtOnceHaveOneThread() throws {
        for _ in 0..<20 {
            let record = Record(), finder = record.finder
            var host = try HandFilledHost()
            let detach = host.sinks.attach(finder)
            let threads = try (0..<4).map { number in
                try SystemThread(name: "follower") {
                    _ = try? finder.follow(number % 2 == 0 ? [.faces] : [.hands]) { record.take($0) }
                }
            }
            for thread in threads { thread.join() }
            var number = 0
            while record.count == 0 {
                host.publish(number)
                number += 1
                sched_yield()
            }
            detach()
            finder.close()
            let last = record.count
            for number in number..<number + 20 { host.publish(number) }
            #expect(record.count == last)
        }
    }

    @Test func whoFollowsLearnsThatTheHostHasEnded() throws {
        let record = Record(), finder = record.finder
        let host = try HandFilledHost()
        _ = host.sinks.attach(finder)
        let ends = Guarded(0)
        _ = try finder.follow([.faces], end: { _ in ends.withLock { $0 += 1 } }) { record.take($0) }
        host.sinks.removeAll()
        #expect(ends.withLock { $0 } == 1)
        _ = try finder.follow([.faces], end: { _ in ends.withLock { $0 += 1 } }) { record.take($0) }
        #expect(ends.withLock { $0 } == 2)
        finder.close()
    }

    @Test func whoFollowsLearnsThatNobodyCanBeLookedFor() throws {
        let failures = Guarded<[String]>([])
        let finder = FactFinder { (_, _) throws(NetError) in throw .noMemory }
        let host = try HandFilledHost()
        let detach = host.sinks.attach(finder)
        let end: @Sendable (CameraError?) -> Void = { error in failures.withLock { $0.append(error?.message ?? "") } }
        let leave = try finder.follow([.faces], end: end) { _ in }
        wait { failures.withLock { !$0.isEmpty } }
        #expect(failures.withLock { $0 } == ["not enough memory for a neural net"])
        leave()
        detach()
        finder.close()
    }
}
