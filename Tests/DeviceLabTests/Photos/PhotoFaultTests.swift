// SPDX-License-Identifier: MIT
// Photos of past moments taken by `livecap run`, with a flawless camera and with each fault that can be injected.

import Foundation
import LivecapFrames
import Testing

extension DeviceLab {
    @Suite("photos and faults")
    struct PhotoFaultTests {
        @Test("each tap in the past gets the frame nearest its moment, fused or not")
        func past() throws {
            let vivid = try OnScreenText.shown()
            defer { try? vivid.reset() }
            let camera = try ArmedCamera()
            let frames = try camera.waitForFrames(10)
            // Before, after and exactly at a frame. The last tap fuses up to eight frames at the same moment as the tap
            // before it.
            for (index, part) in [(5, -0.3), (6, 0.3), (7, 0), (8, 0.3)] {
                try camera.tap(at: frames[index].time + camera.part(part))
            }
            try camera.tap(at: frames[8].time + camera.part(0.3), "\"quality\":\"balanced\"")
            let shots = try (1...5).map { try camera.shot($0) }
            try camera.expectNearest(shots)
            let fused = try #require(shots[4].framesUsed)
            #expect(shots[3].framesUsed?.count == 1 && fused.count > 1 && shots[4].referenceId == shots[3].referenceId)
            try camera.finish()
        }

        @Test("if the driver dropped the moment's frame, the nearest existing one is used, or none")
        func dropped() throws {
            let vivid = try OnScreenText.shown()
            defer { try? vivid.reset() }
            try vivid.set(.droppedPercentage, 50)
            let camera = try ArmedCamera()
            // Catches each hole as soon as it appears, while the history still has its frames.
            func hole(_ what: String, _ lengths: ClosedRange<Double>) throws -> (DriverFrame, DriverFrame) {
                let known = try camera.frames().count
                var hole: (DriverFrame, DriverFrame)?
                try camera.waitForFrames(what) { frames in
                    hole = Array(zip(frames, frames.dropFirst())).dropFirst(known).last {
                        $1.sequence > $0.sequence + 1 && lengths.contains(camera.frames($1.time - $0.time))
                    }
                    return hole != nil
                }
                return hole!
            }
            let (before, after) = try hole("a hole", 1.8...3.5)
            for moment in [before.time + camera.part(0.7), after.time - camera.part(0.7)] { try camera.tap(at: moment) }
            let shots = try (1...2).map { try camera.shot($0) }
            try camera.expectNearest(shots)
            #expect(shots.map(\.referenceNs) == [before.time.nanoseconds, after.time.nanoseconds])
            #expect(shots.map { ($0.lagMs! / camera.frameInterval.milliseconds * 10).rounded() } == [-7, 7])

            // More than two intervals from the middle of the hole to either frame: one interval, plus one for the
            // uncertainty of times. No frame is near enough.
            let (first, last) = try hole("a large hole", 4.5...100)
            let middle = first.time + (last.time - first.time) / 2
            try camera.tap(at: middle)
            let none = try camera.shot(3)
            #expect(none.code == "no-frame" && none.file == nil, "\(none)")
            camera.program.signal(SIGINT)
            #expect(try camera.ended().status == 65)
        }

        @Test("a damaged frame is never the photo's: its neighbour is")
        func damaged() throws {
            let vivid = try OnScreenText.shown()
            defer { try? vivid.reset() }
            let camera = try ArmedCamera()
            try camera.waitForFrames(5)
            try vivid.set(.flagError)
            try camera.waitForFrames("a damaged frame") { $0.contains(where: \.isDamaged) }
            let frames = try camera.waitForFrames(2)
            let damaged = try #require(frames.first { $0.isDamaged })
            try camera.tap(at: damaged.time)
            let shot = try camera.shot(1)
            try camera.expectNearest([shot])
            #expect(abs(shot.lagMs!) > 0.001)
            try camera.finish()
        }

        @Test(
            "photos go on across a fault of the stream", arguments: [Vivid.Control.queueError, .fatalError])
        func midway(fault: Vivid.Control) throws {
            let vivid = try OnScreenText.shown()
            defer { try? vivid.reset() }
            let camera = try ArmedCamera()
            let before = try camera.waitForFrames(5)
            try vivid.set(fault)
            // A restarted stream restarts its sequence numbers.
            let after = try camera.waitForFrames("frames behind the fault") { frames in
                fault == .fatalError
                    ? zip(frames, frames.dropFirst(4)).contains { $1.sequence < $0.sequence && $1.sequence > 0 }
                    : frames.count > before.count + 5
            }
            try camera.tap(at: before[4].time + camera.part(0.2))
            try camera.tap(at: after[after.count - 2].time + camera.part(0.2))
            let shots = try (1...2).map { try camera.shot($0) }
            try camera.expectNearest(shots)
            let epochs = shots.map { $0.referenceId?.first }
            #expect(epochs == (fault == .fatalError ? ["0", "1"] : ["0", "0"]))
            try camera.finish()
        }

        @Test(
            "where the driver's times cannot be, a photo of a frame that is named is that frame, and its time a modest one",
            arguments: [Vivid.Control.wrapTimestamp, .timestampSource])
        func wrongTimes(control: Vivid.Control) throws {
            let vivid = try OnScreenText.shown()
            defer { try? vivid.reset() }
            // `wrapTimestamp`: times near the end of the range. `timestampSource` 0: the time at which the frame would
            // end, which is in the future.
            try vivid.set(control, control == .wrapTimestamp ? 1 : 0)
            let camera = try ArmedCamera()
            let frames = try camera.waitForFrames(10)
            let numbers = [4, 9]
            for number in numbers { try camera.tap("{\"frame\":\"0:\(number)\"}") }
            let witness = try Witness(frames)
            for (shot, number) in try zip((1...2).map { try camera.shot($0) }, numbers) {
                let frame = frames[number]
                #expect(try witness.number(in: shot) == frame.sequence)
                #expect(shot.referenceId == "0:\(number)")
                let time = Timestamp(nanoseconds: try #require(shot.referenceNs))
                #expect(time >= frame.handedOut - .milliseconds(1) && time < .now)
                #expect(shot.lagBoundMs! > 1.5 * camera.frameInterval.milliseconds)
            }
            try camera.finish()
        }
    }
}

extension ArmedCamera {
    /// The duration of this many frame intervals.
    fileprivate func part(_ frames: Double) -> Duration {
        .nanoseconds(Int64(frames * Double(frameInterval.nanoseconds)))
    }

    /// A duration in frame intervals.
    fileprivate func frames(_ span: Duration) -> Double { span.milliseconds / frameInterval.milliseconds }

    /// Checks photos against all frames so far.
    fileprivate func expectNearest(_ shots: [ShotObject]) throws {
        let witness = try Witness(frames())
        for shot in shots { try witness.expectNearest(shot) }
    }
}
