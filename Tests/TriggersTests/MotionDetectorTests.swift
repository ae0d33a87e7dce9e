// SPDX-License-Identifier: MIT
// What moves is noticed at once, with its time and place, and its end.

import LivecapFrames
import Testing

@testable import LivecapTriggers

@Suite struct MotionDetectorTests {
    private func cause(_ noticed: Scene.Noticed?) throws -> TriggerCause {
        guard case .began(let cause) = try #require(noticed).event else { throw Unexpected() }
        return cause
    }

    private func last(_ noticed: Scene.Noticed?) throws -> Timestamp {
        guard case .ended(.motion, let last) = try #require(noticed).event else { throw Unexpected() }
        return last
    }

    private struct Unexpected: Error {}

    /// The ball is first seen in frame 120.
    @Test(arguments: [1, 2, 4] as [Float], [0.5, 3] as [Float])
    func aBallThatCrossesIn300MillisecondsIsNoticedWithinThreeFrames(radius: Float, noise: Float) throws {
        let scene = Scene(noise: noise, seed: 21) { map, time in Scene.crossing(&map, time, radius: radius) }
        let events = scene.watch(8)
        #expect(events.count == 2, "\(events)")
        let cause = try cause(events.first)
        #expect(events[0].frame <= 122)
        #expect(cause.noticed == Scene.time(events[0].frame, 30))
        // The first frame that shows it, or the next one.
        #expect(cause.time >= Scene.time(120, 30) && cause.time <= Scene.time(121, 30))
        #expect(cause.moment >= cause.time && cause.moment <= cause.noticed)
        let motion = try #require(cause.motion)
        // At the left, in the middle of the height.
        #expect(motion.box.origin.x < 0.1 && motion.box.origin.x + motion.box.width < 0.6)
        #expect(motion.box.origin.y < 0.48 && motion.box.origin.y + motion.box.height > 0.46)
        #expect(motion.share > 0.002 && motion.share < 0.1)
        // It has ended with its last frames, which is certain two seconds later.
        let end = try last(events.last)
        #expect(end >= Scene.time(127, 30) && end <= Scene.time(133, 30))
        #expect(Scene.time(events[1].frame, 30) - end >= .seconds(2))
    }

    @Test func theSameMapsGiveTheSameEvents() {
        let scene = Scene(noise: 3, seed: 22) { map, time in Scene.crossing(&map, time) }
        #expect(scene.watch(8).map(\.event) == scene.watch(8).map(\.event))
    }

    @Test(arguments: [15, 60] as [Double]) func otherRatesNoticeIt(rate: Double) throws {
        let scene = Scene(rate: rate, seed: 23) { map, time in Scene.crossing(&map, time) }
        let events = scene.watch(8)
        let cause = try cause(events.first)
        #expect(events.count == 2)
        #expect(cause.noticed - Timestamp(nanoseconds: 4_000_000_000) <= .seconds(2 / rate + 0.001))
    }

    @Test func onlyTheWatchedPartCounts() throws {
        let left = PictureBox(origin: PicturePoint(x: 0, y: 0), width: 0.5, height: 0.25)
        var scene = Scene(seed: 24) { map, time in Scene.crossing(&map, time) }
        scene.trigger = MotionTrigger(in: left)
        #expect(scene.watch(8).isEmpty)
        scene.trigger = MotionTrigger(in: PictureBox(origin: PicturePoint(x: 0.5, y: 0.25), width: 0.5, height: 0.5))
        let cause = try cause(scene.watch(8).first)
        #expect(try #require(cause.motion).box.origin.x >= 0.5)
        #expect(cause.time > Scene.time(123, 30))
    }

    @Test func sensitivityDecidesWhatIsTooSmallAndTooFaint() {
        func count(_ sensitivity: Double, radius: Float, brightness: Float) -> Int {
            let scene = Scene(noise: 0.7, seed: 25, trigger: MotionTrigger(sensitivity: sensitivity)) { map, time in
                let way = Float((time - 4) / 0.5)
                guard (0...1).contains(way) else { return }
                for cell in map.indices { map[cell] = 120 }
                Scene.ball(&map, x: 40 * way, y: 14, radius: radius, brightness: brightness)
            }
            return scene.watch(8).count
        }
        #expect(count(0, radius: 1, brightness: 230) == 0)
        #expect(count(0, radius: 4, brightness: 230) > 0)
        #expect(count(1, radius: 1, brightness: 230) > 0)
    }

    /// The edge of something slow moves by less than a cell in each frame.
    @Test func whatIsSlowIsNoticedAfterAWhile() throws {
        let scene = Scene(seed: 26) { map, time in
            guard time > 4, time < 12 else { return }
            Scene.ball(&map, x: Float(time - 4) * 2 + 8, y: 14, radius: 4, brightness: 40)
        }
        let cause = try cause(scene.watch(16).first)
        #expect(cause.time <= Timestamp(nanoseconds: 4_300_000_000))
        #expect(cause.noticed <= Timestamp(nanoseconds: 5_500_000_000))
    }

    @Test func whatGoesOnIsOneMotion() throws {
        let scene = Scene(seed: 27) { map, time in
            guard time > 4, time < 12 else { return }
            Scene.ball(&map, x: 20 + 12 * Float((time * 0.5).truncatingRemainder(dividingBy: 1)), y: 14, radius: 3)
        }
        let events = scene.watch(16)
        #expect(events.count == 2, "\(events)")
        #expect(try last(events.last) > Timestamp(nanoseconds: 11_500_000_000))
    }

    @Test func whatIsPutDownBecomesUsual() throws {
        let scene = Scene(seed: 28) { map, time in
            // Carried in for half a second, and left there.
            guard time > 4 else { return }
            Scene.ball(&map, x: min(Float(time - 4) / 0.5, 1) * 20, y: 14, radius: 3)
        }
        let events = scene.watch(20)
        #expect(events.count == 2, "\(events)")
        #expect(try last(events.last) < Timestamp(nanoseconds: 5_500_000_000))
    }

    @Test func theQuietTimeIsKept() throws {
        // Two balls, 2.5 s apart.
        func scene(_ quiet: Duration) -> Scene {
            Scene(seed: 29, trigger: MotionTrigger(quiet: quiet)) { map, time in
                Scene.crossing(&map, time)
                Scene.crossing(&map, time - 2.5)
            }
        }
        #expect(scene(.seconds(1)).watch(12).count == 4)
        #expect(scene(.seconds(4)).watch(12).count == 2)
    }

    @Test func nothingIsNoticedBeforeTheUsualIsKnown() {
        let scene = Scene(seed: 30) { map, time in Scene.crossing(&map, time + 3.5) }
        #expect(scene.watch(6).isEmpty)
    }

    @Test func aGapBeginsAnew() {
        var detector = MotionDetector(MotionTrigger(), Scene.shape)
        for frame in 0..<90 { #expect(detector.take(Scene.room, at: Scene.time(frame, 30)) == nil) }
        #expect(detector.isArmed)
        // The camera was away, and is somewhere else.
        let other = Scene.room.map { 250 - $0 }
        for frame in 200..<300 { #expect(detector.take(other, at: Scene.time(frame, 30)) == nil) }
        #expect(detector.isArmed)
    }

    @Test func motionEndsWithTheStream() {
        var detector = MotionDetector(MotionTrigger(), Scene.shape)
        var frame = 0
        while !detector.isMoving, frame < 200 {
            var map = Scene.room
            Scene.crossing(&map, Double(frame) / 30)
            _ = detector.take(map, at: Scene.time(frame, 30))
            frame += 1
        }
        let last = Scene.time(frame - 1, 30)
        #expect(detector.forget() == .ended(.motion, last: last))
        #expect(detector.forget() == nil)
    }

    @Test func framesThatAreNotNewerAreLeftOut() {
        var detector = MotionDetector(MotionTrigger(), Scene.shape)
        for frame in 0..<90 { _ = detector.take(Scene.room, at: Scene.time(frame, 30)) }
        for _ in 0..<5 {
            #expect(detector.take(Scene.room.map { 250 - $0 }, at: Scene.time(89, 30)) == nil)
        }
        #expect(!detector.isMoving)
    }
}
