// SPDX-License-Identifier: MIT
// Forecasts of the shots on their way: their order, their pace, and how close they are to a finely simulated crew.

import LivecapFrames
import LivecapSeededRandom
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite struct WorkAheadTests {
    private func shot(_ number: Int, _ fusing: Int64, _ encoding: Int64 = 10, storing: Int64? = nil) -> WorkAhead.Shot {
        WorkAhead.Shot(
            number, fusing: .milliseconds(fusing), encoding: .milliseconds(encoding),
            storing: storing.map(Duration.milliseconds))
    }

    /// The forecast events, one per line: "fused 1 at 100".
    private func story(_ ahead: WorkAhead) -> [String] {
        var (ahead, lines) = (ahead, [String]())
        while let event = ahead.next() {
            let at = Int(ahead.time.milliseconds.rounded())
            switch event {
            case .fused(let number): lines.append("fused \(number) at \(at)")
            case .done(let number): lines.append("done \(number) at \(at)")
            }
        }
        return lines
    }

    @Test("Each worker takes a shot and keeps it; the next shot waits for the first free worker")
    func order() {
        var ahead = WorkAhead(workers: 2)
        ahead.add(shot(1, 60), isTaken: true)
        for (number, fusing) in [(2, 100), (3, 50)] { ahead.add(shot(number, Int64(fusing))) }
        // The third shot begins at 70. 40 of its 50 ms pass while the second is still there; the rest is quicker
        // with help.
        #expect(
            story(ahead) == [
                "fused 1 at 60", "done 1 at 70", "fused 2 at 100", "done 2 at 110", "fused 3 at 116", "done 3 at 126",
            ])
    }

    @Test("A worker without a shot helps the others, but cannot halve their time")
    func help() {
        var alone = WorkAhead(workers: 2)
        alone.add(shot(1, 100))
        _ = alone.next()
        #expect(alone.time > .milliseconds(50) && alone.time < .milliseconds(100))
        #expect(WorkAhead.pace(workers: 2, busy: 2, fusing: 2) == 1)
        #expect(WorkAhead.pace(workers: 1, busy: 1, fusing: 1) == 1)
        #expect(WorkAhead.pace(workers: 4, busy: 2, fusing: 2) == WorkAhead.pace(workers: 2, busy: 1, fusing: 1))
        #expect(WorkAhead.pace(workers: 2, busy: 2, fusing: 2, reading: 1) == 0.5)
        #expect(WorkAhead.pace(workers: 2, busy: 1, fusing: 1, reading: 2) == 0)
    }

    @Test("All workers read frames before anything else")
    func reading() {
        var ahead = WorkAhead(workers: 2)
        ahead.add(shot(1, 60), isTaken: true)
        ahead.add(shot(2, 60), isTaken: true)
        ahead.read(8, each: .milliseconds(5))
        #expect(story(ahead).first == "fused 1 at 80")
    }

    @Test("Files are written two at a time, while workers go on")
    func files() {
        var ahead = WorkAhead(workers: 1)
        ahead.store(7, left: .milliseconds(100))
        ahead.store(8, left: .milliseconds(50))
        ahead.add(shot(1, 0, 20, storing: 30))
        #expect(story(ahead) == ["fused 1 at 0", "done 8 at 50", "done 1 at 80", "done 7 at 100"])
    }

    @Test("No estimate is negative: overdue work is expected at any moment")
    func late() {
        var ahead = WorkAhead(workers: 1)
        ahead.add(shot(1, -50, -3), isTaken: true)
        #expect(story(ahead) == ["fused 1 at 0", "done 1 at 0"])
        var storing = WorkAhead(workers: 1)
        storing.store(2, left: .milliseconds(-9))
        #expect(story(storing) == ["done 2 at 0"])
    }

    @Test("The simulation runs only as far as requested, and resumes from there")
    func pieces() {
        var ahead = WorkAhead(workers: 1)
        ahead.add(shot(1, 100, 10))
        for step in 1...9 {
            #expect(ahead.next(within: .milliseconds(10)) == nil)
            #expect(Int(ahead.time.milliseconds.rounded()) == 10 * step)
        }
        #expect(ahead.next(within: .milliseconds(20)) == .fused(1))
        #expect(Int(ahead.time.milliseconds.rounded()) == 100)
        #expect(ahead.next() == .done(1))
        #expect(ahead.next() == nil)
    }

    @Test(
        "Within a fifth of what a crew takes whose shots are up to a tenth quicker or slower than usual",
        arguments: [1, 2, 4])
    func simulatedCrew(workers: Int) {
        var random = SeededRandom(seed: UInt64(20 + workers))
        let usual: [PhotoQuality: Double] = [.quality: 0.4, .balanced: 0.09, .speed: 0.004]
        for _ in 0..<60 {
            // Enough shots that the luck of a single one does not decide.
            let shots = (0..<(6 * workers)).map { _ in usual[random.quality()]! } + [0.4]
            var ahead = WorkAhead(workers: workers)
            for (number, fusing) in shots.enumerated() {
                ahead.add(
                    WorkAhead.Shot(number, fusing: .seconds(fusing), encoding: .milliseconds(5), storing: nil))
            }
            while ahead.next() != nil {}
            let truth = simulate(shots.map { $0 * (0.9 + 0.2 * random.unit()) }, workers: workers)
            let estimate = ahead.time.seconds
            #expect(abs(estimate - truth) <= 0.2 * truth, "estimated \(estimate), took \(truth)")
        }
    }

    /// The time at which the last shot is done, simulated in steps of half a millisecond.
    private func simulate(_ fusing: [Double], workers: Int) -> Double {
        var (queue, inWork, time): ([Double], [(fusing: Double, encoding: Double)], Double) = (fusing.reversed(), [], 0)
        while !queue.isEmpty || !inWork.isEmpty {
            while inWork.count < workers, let next = queue.popLast() { inWork.append((next, 0.005)) }
            let pace = WorkAhead.pace(
                workers: workers, busy: inWork.count, fusing: inWork.count { $0.fusing > 0 })
            time += 0.0005
            for index in inWork.indices {
                if inWork[index].fusing > 0 {
                    inWork[index].fusing -= 0.0005 * pace
                } else {
                    inWork[index].encoding -= 0.0005
                }
            }
            inWork.removeAll { $0.fusing <= 0 && $0.encoding <= 0 }
        }
        return time
    }
}

@Suite struct RoomAheadTests {
    @Test("Shared frames count once, and are freed with the last shot that needs them")
    func sharing() {
        var room = RoomAhead(frames: 6, shots: 4)
        room.take(1, 0..<4)
        room.take(2, 2..<6)
        #expect(room.takes(0..<6))
        #expect(!room.takes(3..<7))
        room.release(1)
        #expect(room.takes(4..<8))
        #expect(!room.takes(4..<9))
        room.end(2)
        #expect(room.takes(10..<16))
    }

    @Test("A place becomes free when its shot is done, not when its frames are")
    func places() {
        var room = RoomAhead(frames: 100, shots: 1)
        room.take(1, 0..<4)
        room.release(1)
        #expect(!room.takes(8..<9))
        room.end(1)
        #expect(room.takes(8..<9) && room.processing == 0)
    }
}
