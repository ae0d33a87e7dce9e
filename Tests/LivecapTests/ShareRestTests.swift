// SPDX-License-Identifier: MIT
// When `livecap share --idle-off` switches its camera off and on.

import LivecapFrames
import Testing

@testable import Camera
@testable import livecap

@Suite struct ShareRestTests {
    private func at(_ seconds: Int64) -> Timestamp { Timestamp(nanoseconds: seconds * 1_000_000_000) }

    @Test func theCameraRestsAfterATimeWithoutReaders() {
        let power = SourcePower(Alarm())
        var rest = ShareRest(power, after: .seconds(5), now: at(0))
        rest.look(isRead: true, at: at(3))
        // The reader may have left just now.
        rest.look(isRead: false, at: at(7))
        rest.look(isRead: false, at: at(11))
        #expect(power.isOn)
        rest.look(isRead: false, at: at(12))
        #expect(!power.isOn && power.takeLeave())
        rest.look(isRead: false, at: at(60))
        #expect(!power.isOn)
        rest.look(isRead: true, at: at(61))
        #expect(power.isOn)
        rest.look(isRead: false, at: at(65))
        rest.look(isRead: false, at: at(69))
        #expect(power.isOn)
        rest.look(isRead: false, at: at(70))
        #expect(!power.isOn)
    }

    @Test func aReaderMayComeBeforeTheCameraHasLeft() {
        let power = SourcePower(Alarm())
        var rest = ShareRest(power, after: .seconds(1), now: at(0))
        rest.look(isRead: false, at: at(1))
        rest.look(isRead: true, at: at(2))
        #expect(power.isOn && !power.takeLeave())
    }

    @Test func withoutATimeItStaysOn() {
        let power = SourcePower(Alarm())
        var rest = ShareRest(power, after: nil, now: at(0))
        rest.look(isRead: false, at: at(1000))
        #expect(power.isOn)
    }
}
