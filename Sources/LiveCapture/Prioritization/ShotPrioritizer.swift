// SPDX-License-Identifier: MIT
// Fast capture prioritization: lowers the quality of taps in quick succession, so that none takes longer to serve than
// the last.

import LivecapDeveloping
import LivecapFrames

/// The properties of a request that decide its priority.
package struct ShotRequest: Hashable, Sendable {
    /// The moment of the tap, on the source's clock.
    package var tap: Timestamp
    /// The quality asked for.
    package var asked: PhotoQuality
    /// The number of shots that are captured and not done. 0 at the fast pace, where it would differ from run to run.
    package var backlog: Int
    /// How long one worker takes for a shot of each quality, as far as known. Empty at the fast pace, for the same
    /// reason.
    package var durations: [PhotoQuality: Duration]
    /// The number of workers.
    package var workers: Int

    /// A request decided by the taps alone, unless the other parameters are given.
    package init(
        tap: Timestamp, asked: PhotoQuality, backlog: Int = 0, durations: [PhotoQuality: Duration] = [:],
        workers: Int = 1
    ) {
        self.tap = tap
        self.asked = asked
        self.backlog = backlog
        self.durations = durations
        self.workers = workers
    }
}

/// The decision about a request.
package struct ShotPriority: Hashable, Sendable {
    /// The quality it gets.
    package var given: PhotoQuality
    /// Whether prioritization made it lower than asked for.
    package var isSteppedDown: Bool
    /// Whether pressure on the machine made it lower still.
    package var isRelieved = false
}

/// Decides the quality of each shot, tap by tap. It reads no clock: the same taps get the same decisions.
///
/// There is one step, from `quality` to `balanced`, which is quick enough for people who press as fast as they can.
/// Only pressure on the machine lowers more. `quality` is stepped down when taps come more quickly than its shots can
/// be made. It is stepped up again when the taps leave half as much time again; in between, nothing changes. The pace
/// of taps is a weighted mean that favours the newest, so a burst is noticed at its second or third tap. A pause of
/// twice the time of a shot counts as calm, whatever came before.
package struct ShotPrioritizer: Hashable, Sendable {
    /// Whether quality is ever stepped down. A change resets the pace of the taps.
    package var isEnabled: Bool {
        didSet { if isEnabled != oldValue { self = ShotPrioritizer(isEnabled: isEnabled) } }
    }
    /// The latest tap that made work.
    private var lastTap: Timestamp?
    private var pace = TapPace()

    /// A prioritizer that changes nothing until it is enabled.
    package init(isEnabled: Bool = false) { self.isEnabled = isEnabled }

    /// The decision about the next request. Requests are passed in the order in which they are made.
    package mutating func prioritize(_ request: ShotRequest) -> ShotPriority {
        // Those take almost no time: they keep nobody waiting.
        guard isEnabled, request.asked != .single, request.asked != .speed else {
            return ShotPriority(given: request.asked, isSteppedDown: false)
        }
        // A tap for an earlier moment than the last one was still made after it: in quick succession.
        let interval = lastTap.map { max(request.tap - $0, .zero) }
        lastTap = lastTap.map { max($0, request.tap) } ?? request.tap
        pace.note(interval, request)
        let isSteppedDown = request.asked == .quality && pace.isTooQuick
        return ShotPriority(given: isSteppedDown ? .balanced : request.asked, isSteppedDown: isSteppedDown)
    }
}

/// Whether taps come more quickly than shots of `quality` can be made.
private struct TapPace: Hashable, Sendable {
    /// The minimum spacing of taps while the duration of shots is unknown.
    private static let usual = Duration.seconds(1)
    private(set) var isTooQuick = false
    /// The weighted mean spacing of taps, capped at a calm one.
    private var spacing: Duration?

    /// Takes in the time since the previous tap; nil for the first.
    mutating func note(_ interval: Duration?, _ request: ShotRequest) {
        let workers = max(request.workers, 1)
        let known = request.durations[.quality]
        let needed = known.map { $0 / Int64(workers) } ?? Self.usual
        // Spacing is capped at calm: a burst after an hour is still a burst.
        let calm = needed * 2
        var mean = calm
        if let interval, interval < calm {
            // The newest counts for three quarters, so that taps at two thirds of the needed spacing are noticed at the
            // second tap.
            mean = (min(spacing ?? calm, calm) + interval * 3) / 4
        }
        spacing = mean
        // Before the first shot is done, a growing backlog is the only sign of a slow machine.
        let isPilingUp = known == nil && request.backlog >= 2 * workers
        if mean < needed || isPilingUp {
            isTooQuick = true
        } else if mean >= needed * 3 / 2, request.backlog < workers {
            isTooQuick = false
        }
    }
}
