// SPDX-License-Identifier: MIT
// The switch of a source that is off while nobody needs its frames.

import Synchronization

/// Switches a source off and on. The session flips it; the capture thread obeys.
///
/// All accesses of the state order what happened before them: whoever is told that the source has left, or has not,
/// can rely on it.
package final class SourcePower: Sendable {
    private static let on: UInt8 = 0
    /// The source is to leave, and has not done so yet.
    private static let leaving: UInt8 = 1
    private static let off: UInt8 = 2

    private let state = Atomic<UInt8>(SourcePower.on)
    private let alarm: Alarm

    /// A switch that is on, and wakes the sleepers of `alarm` when it is switched.
    init(_ alarm: Alarm) { self.alarm = alarm }

    /// Has the source leave, which it does at its next step.
    package func switchOff() {
        let change = state.compareExchange(
            expected: Self.on, desired: Self.leaving, ordering: .acquiringAndReleasing)
        // It may be waiting for a camera that is unplugged.
        if change.exchanged { alarm.rouse() }
    }

    /// Has the source come back. Returns false if it has not left yet, and now will not.
    package func switchOn() -> Bool {
        let hadLeft = state.exchange(Self.on, ordering: .acquiringAndReleasing) == Self.off
        if hadLeft { alarm.rouse() }
        return hadLeft
    }

    /// Whether the source has to leave now. Returns true once for each time it does.
    func takeLeave() -> Bool {
        guard state.load(ordering: .relaxed) == Self.leaving else { return false }
        return state.compareExchange(
            expected: Self.leaving, desired: Self.off, ordering: .acquiringAndReleasing
        ).exchanged
    }

    /// Whether the source is to run.
    var isOn: Bool { state.load(ordering: .acquiring) == Self.on }
}
