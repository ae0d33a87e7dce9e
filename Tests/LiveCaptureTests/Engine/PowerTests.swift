// SPDX-License-Identifier: MIT
// When the desk switches the camera off and on, and which photos wait for it: with given times.

import FrameRing
import LivecapFrames
import Testing

@testable import Camera
@testable import LiveCapture
@testable import LivecapDeveloping

@Suite(.timeLimit(.usual)) struct PowerTests {
    private let quick = PhotoSettings(quality: .mean, frames: 2)

    /// The time of now, in whole milliseconds.
    private let now = Double(Timestamp.now.nanoseconds / 1_000_000)

    /// A desk whose camera nothing has needed, so that it has left.
    private func idle(_ power: SourcePower) throws -> HandDrivenDesk {
        let driven = try HandDrivenDesk(power: power) { $0.idleOff = .zero }
        _ = driven.desk.exposureChanged(isSettled: true, isDone: true)
        driven.frame(at: now)
        try #require(driven.desk.isCameraOff && power.takeLeave())
        driven.hand.beginEpoch()
        driven.desk.streamInterrupted(by: .switchedOff)
        return driven
    }

    /// The camera's first frame since it was switched on.
    private func firstFrame(_ driven: HandDrivenDesk, at milliseconds: Double) {
        driven.desk.streamResumed(at: moment(milliseconds))
        _ = driven.desk.exposureChanged(isSettled: true, isDone: true)
        driven.frame(at: milliseconds)
    }

    @Test func aMomentToComeNeedsItTenSecondsBefore() {
        let now = moment(60_000)
        #expect(!PowerState.isNeeded(for: now + .seconds(10) + .nanoseconds(1), at: now))
        #expect(PowerState.isNeeded(for: now + .seconds(10), at: now))
        #expect(PowerState.isNeeded(for: now - .seconds(10), at: now))
        #expect(PowerState.isNeeded(for: nil, at: now))
    }

    @Test func aMomentToComeSwitchesItOnInTime() async throws {
        let power = SourcePower(Alarm())
        let driven = try idle(power)
        let late = driven.tap(at: now + 3_600_000, quick)
        #expect(driven.desk.isCameraOff && !power.isOn)
        let soon = driven.tap(at: now + 5000, quick)
        #expect(!driven.desk.isCameraOff && power.isOn)
        firstFrame(driven, at: now + 3000)
        #expect(!driven.desk.isCameraOff)
        // All at once: how long it waits for later ones is not the subject.
        for number in 0..<4 { driven.hand.frame(at: now + 4980 + Double(10 * number)) }
        driven.frame(at: now + 5020)
        driven.work()
        let photo = try await soon.photo()
        #expect(!photo.wasCameraOff && photo.reference.time == moment(now + 5000))
        // An hour before the other one it is off again.
        await until { driven.desk.shotsInProgress == 1 }
        driven.frame(at: now + 5030)
        #expect(driven.desk.isCameraOff && !power.isOn)
        late.cancel()
    }

    @Test func aMomentWhileItWasOffHasItsFirstFrame() async throws {
        let power = SourcePower(Alarm())
        let driven = try idle(power)
        let tap = driven.tap(at: now + 9000, quick)
        #expect(power.isOn)
        firstFrame(driven, at: now + 11_000)
        driven.frame(at: now + 11_010)
        driven.work()
        let photo = try await tap.photo()
        #expect(photo.wasCameraOff && photo.reference.time == moment(now + 11_000))
    }
}
