// SPDX-License-Identifier: MIT
// A button that is held gives a tap at once, and after a moment one after the other until it is let go.

import Frames

/// Turns presses and releases into taps. A value without threads or clocks of its own: whoever has it hands it events, and
/// asks for the taps that are due at `nextTap`.
///
/// Taps carry exact times (the press, then press + delay + k x interval), whenever they are asked for, in the order of their
/// times. A release is exact too as long as taps are not asked for ahead of the events: taps that were given for a time at
/// which the button turns out to have been up are not taken back. A hold gives at most `mostTaps`; there are at most
/// `mostHolds` at once, and a press beyond them is one tap.
public struct HoldBurst: Sendable {
    /// One tap of a button.
    public struct Tap: Hashable, Sendable {
        /// When.
        public let time: Timestamp
        /// Which of its hold's taps, from 0; that is the press itself.
        public let index: Int

        /// The `index`th tap of a hold, at `time`.
        public init(time: Timestamp, index: Int) {
            self.time = time
            self.index = index
        }
    }

    /// More fingers than anybody has.
    public static let mostHolds = 32

    /// How long a button is held before taps follow each other.
    public let delay: TimeSpan
    /// From one of those taps to the next.
    public let interval: TimeSpan
    /// How many taps a hold gives at most.
    public let mostTaps: Int

    private struct Hold {
        let button: Int
        let pressed: Timestamp
        var given = 1
    }
    /// In the order they were pressed.
    private var holds: [Hold] = []

    /// A burst of a tap every `interval` (more than none, one frame's for all frames) after `delay`.
    public init(interval: TimeSpan, delay: TimeSpan = .milliseconds(300), mostTaps: Int = 100) {
        precondition(interval > .zero && delay >= .zero && mostTaps >= 1, "a burst goes on, and ends")
        self.interval = interval
        self.delay = delay
        self.mostTaps = mostTaps
    }

    /// Whether a button is down.
    public var isHeld: Bool { !holds.isEmpty }

    /// When the next tap is due if nobody lets go before; nil when none is.
    public var nextTap: Timestamp? { holds.compactMap(next).min() }

    /// Takes an event of a button in; the taps until then, with that of a press.
    ///
    /// Each button is a hold of its own. One that is pressed again before it was let go (several buttons that go by one
    /// number) is a second hold, and a release ends the one that was pressed first. A release of what is not down is nothing.
    public mutating func handle(_ event: ShutterEvent, button: Int = 0) -> [Tap] {
        switch event {
        case .pressed(let time):
            let taps = taps(until: time) + [Tap(time: time, index: 0)]
            if holds.count < Self.mostHolds { holds.append(Hold(button: button, pressed: time)) }
            return taps
        case .released(let time):
            // At the moment of release it is no longer held.
            let taps = due { $0 < time }
            if let index = holds.firstIndex(where: { $0.button == button }) { holds.remove(at: index) }
            return taps
        }
    }

    /// The taps due until now, and now, that have not been given.
    public mutating func taps(until now: Timestamp) -> [Tap] { due { $0 <= now } }

    private mutating func due(_ isDue: (Timestamp) -> Bool) -> [Tap] {
        var taps: [Tap] = []
        for index in holds.indices {
            while let time = next(holds[index]), isDue(time) {
                taps.append(Tap(time: time, index: holds[index].given))
                holds[index].given += 1
            }
        }
        return taps.sorted { ($0.time, $0.index) < ($1.time, $1.index) }
    }

    private func next(_ hold: Hold) -> Timestamp? {
        guard hold.given < mostTaps else { return nil }
        return hold.pressed + delay + interval * Int64(hold.given - 1)
    }
}
