// SPDX-License-Identifier: MIT
// Turns a held button into taps: one at once, and after a delay a series until the button is released.

import LivecapFrames

/// Turns presses and releases into taps. A plain value without threads or clocks: its owner passes it events and asks
/// for the taps that are due at `nextTap`.
///
/// Taps have exact times (the press, then press + delay + k x interval), no matter when they are requested, and are
/// returned in the order of their times. Releases are exact too, as long as taps are not requested ahead of events:
/// taps already returned are not taken back if the button turns out to have been up by then. A hold gives at most
/// `maxTaps` taps. At most `maxHolds` can be active at once; a press beyond them is a single tap.
public struct HoldBurst: Sendable {
    /// One tap of a button.
    public struct Tap: Hashable, Sendable {
        /// The time of the tap.
        public let time: Timestamp
        /// The tap's index within its hold. 0 is the press itself.
        public let index: Int
        /// The number of its hold: 0 for the first press that was handled.
        public let hold: Int

        /// Creates the tap with this index in a hold, at `time`.
        public init(time: Timestamp, index: Int, hold: Int = 0) {
            self.time = time
            self.index = index
            self.hold = hold
        }
    }

    /// More than anybody has fingers.
    public static let maxHolds = 32

    /// How long a button must be held before the series of taps starts.
    public let delay: Duration
    /// The time from one tap of the series to the next.
    public let interval: Duration
    /// The maximum number of taps in a hold.
    public let maxTaps: Int

    private struct Hold {
        let button: Int
        let number: Int
        let pressed: Timestamp
        var given = 1
    }
    /// In the order in which they were pressed.
    private var holds: [Hold] = []
    private var presses = 0

    /// Creates a burst with a tap every `interval` after `delay`. The interval must be above zero, the delay must not
    /// be negative, and a hold must have at least one tap. One frame's interval takes every frame.
    public init(interval: Duration, delay: Duration = .milliseconds(300), maxTaps: Int = 100) {
        precondition(interval > .zero && delay >= .zero && maxTaps >= 1, "a burst takes time and has taps")
        self.interval = interval
        self.delay = delay
        self.maxTaps = maxTaps
    }

    /// Whether a button is down.
    public var isHeld: Bool { !holds.isEmpty }

    /// When the next tap is due unless a button is released first; nil if none is.
    public var nextTap: Timestamp? { holds.compactMap(next).min() }

    /// Handles a button event. Returns the taps due until then, including the one for a press.
    ///
    /// Each button is a hold of its own. If a button is pressed again before its release (several buttons can share a
    /// number), that is a second hold, and a release ends the hold that was pressed first. A release of a button that
    /// is not down has no effect.
    public mutating func handle(_ event: ShutterEvent, button: Int = 0) -> [Tap] {
        switch event {
        case .pressed(let time):
            let number = presses
            presses += 1
            let taps = takeTaps(until: time) + [Tap(time: time, index: 0, hold: number)]
            if holds.count < Self.maxHolds { holds.append(Hold(button: button, number: number, pressed: time)) }
            return taps
        case .released(let time):
            // At the moment of release the button is no longer held.
            let taps = due { $0 < time }
            if let index = holds.firstIndex(where: { $0.button == button }) { holds.remove(at: index) }
            return taps
        }
    }

    /// Takes the taps due up to and including `now` that have not been returned yet.
    public mutating func takeTaps(until now: Timestamp) -> [Tap] { due { $0 <= now } }

    private mutating func due(_ isDue: (Timestamp) -> Bool) -> [Tap] {
        var taps: [Tap] = []
        for index in holds.indices {
            while let time = next(holds[index]), isDue(time) {
                taps.append(Tap(time: time, index: holds[index].given, hold: holds[index].number))
                holds[index].given += 1
            }
        }
        return taps.sorted { ($0.time, $0.index) < ($1.time, $1.index) }
    }

    private func next(_ hold: Hold) -> Timestamp? {
        guard hold.given < maxTaps else { return nil }
        return hold.pressed + delay + interval * Int64(hold.given - 1)
    }
}
