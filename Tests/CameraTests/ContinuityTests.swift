// SPDX-License-Identifier: MIT
// Restarts and gaps in time are detected; slow or slightly lossy streams are not reported as gaps.

import LivecapFrames
import LivecapSeededRandom
import Testing

@testable import Camera
@testable import LivecapFrameFiles

@Suite("Continuity") struct ContinuityTests {
    let folder = TemporaryFolder()

    /// Frames at these times, in milliseconds, with these epochs.
    private func continuity(_ times: [Int64], epochs: [UInt32] = [], fps: UInt32? = 30) -> Continuity {
        Continuity(count: times.count, rate: fps.map { FrameRate($0) }) { index in
            let id = FrameID(epoch: epochs.isEmpty ? 0 : epochs[index], counter: UInt64(index))
            return FrameMetadata(time: Timestamp(nanoseconds: times[index] * 1_000_000), byteCount: 1, id: id)
        }
    }

    /// Movies, which may be long, keep no list of their frames.
    @Test(arguments: 0..<20) func aMeterFindsTheSameWithoutAList(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var (frames, time, epoch) = ([FrameMetadata](), Int64(0), UInt32(0))
        for counter in 0..<Int.random(in: 0...300, using: &random) {
            if Int.random(in: 0..<20, using: &random) == 0 { epoch += 1 }
            // Never close to a hole's limit, four times the usual step.
            let isHole = Int.random(in: 0..<12, using: &random) == 0
            time += isHole ? .random(in: 200...90_000, using: &random) : .random(in: 30...36, using: &random)
            frames.append(
                FrameMetadata(
                    time: Timestamp(nanoseconds: time * 1_000_000), byteCount: 1,
                    id: FrameID(epoch: epoch, counter: UInt64(counter))))
        }
        var meter = ContinuityMeter()
        for frame in frames { meter.add(frame) }
        #expect(
            meter.continuity(rate: FrameRate(30))
                == Continuity(count: frames.count, rate: FrameRate(30)) { frames[$0] })
    }

    @Test func aRecordingWithAHoleAfterARestartSaysSo() throws {
        var recording = SampleRecording(frames: 20)
        for index in 10..<20 {
            recording.frames[index].metadata.time = recording.frames[index].metadata.time + .milliseconds(4000)
            recording.frames[index].metadata.id = FrameID(epoch: 3, counter: UInt64(40 + index))
        }
        try recording.write(to: folder.file("a.lcap"))
        let found = try openFrameFile(folder.file("a.lcap")).summary(verifying: false).continuity
        #expect(found.epochs == 2 && found.restarts == 1 && found.holes == 1)
        #expect(found.longestHole == .nanoseconds(4_033_333_333) && found.holeTime == found.longestHole)
    }

    @Test func anEvenStreamHasNoRestartsOrHoles() {
        let found = continuity((0..<30).map { $0 * 33 })
        #expect(found.epochs == 1 && found.holes == 0 && found.holeTime == .zero)
    }

    @Test func aCameraThatSlowsDownInTheDarkHasNoHoles() {
        // The camera was set to 30 fps but delivers 7.5 fps.
        #expect(continuity((0..<20).map { $0 * 133 }).holes == 0)
    }

    @Test func aFewFramesLostAreNoHole() { #expect(continuity([0, 33, 66, 133, 166, 199, 232, 265, 298]).holes == 0) }

    @Test func holesAreAddedUp() {
        let found = continuity((0..<10).map { $0 * 33 } + (0..<10).map { 1000 + $0 * 33 } + [3000])
        #expect(found.holes == 2 && found.longestHole == .milliseconds(3000 - 1297))
        #expect(found.holeTime == .milliseconds(1000 - 297 + 3000 - 1297))
    }

    @Test func twoFramesAreJudgedByTheRate() {
        #expect(continuity([0, 4000]).holes == 1)
        // Without a rate the expected distance is unknown.
        #expect(continuity([0, 4000], fps: nil).holes == 0)
    }

    @Test func noFramesOrOneFrameHaveNoHoles() {
        #expect(continuity([]) == Continuity() && continuity([5]).holes == 0 && continuity([5]).epochs == 1)
    }
}
