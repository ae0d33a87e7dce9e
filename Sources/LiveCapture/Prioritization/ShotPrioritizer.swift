// SPDX-License-Identifier: MIT
// Fast capture prioritization: taps in quick succession get less quality, so that each is served as quickly as the one before.

import Frames

/// A request, as far as its priority depends on it.
package struct ShotRequest: Hashable, Sendable {
    /// When the tap was, on the source's clock.
    package var tap: Timestamp
    /// The quality that was asked for.
    package var asked: PhotoQuality
    /// Shots that are captured and not done. 0 at the fast pace, where it would differ from run to run.
    package var backlog: Int
    /// How long one worker takes for a shot, where that is known. Empty at the fast pace, likewise.
    package var durations: [PhotoQuality: TimeSpan]
    /// How many workers there are.
    package var workers: Int

    /// A request that nothing but the taps decides about, unless more is said.
    package init(
        tap: Timestamp, asked: PhotoQuality, backlog: Int = 0, durations: [PhotoQuality: TimeSpan] = [:],
        workers: Int = 1
    ) {
        self.tap = tap
        self.asked = asked
        self.backlog = backlog
        self.durations = durations
        self.workers = workers
    }
}

/// What a request gets.
package struct ShotPriority: Hashable, Sendable {
    /// The quality it gets.
    package var given: PhotoQuality
    /// Whether that is less than was asked for.
    package var isSteppedDown: Bool
}

/// Decides about the quality of each shot, tap by tap. No clock: the same taps get the same.
///
/// There are two notches, from `quality` to `balanced` and from there to `speed`. Each is stepped down when taps come more
/// quickly than shots of its quality can be made, and up again when they leave half as much time again; in between it stays
/// where it is. How quickly taps come is a mean in which the newest counts most, so that a burst is heeded from its second or
/// third tap on. A pause of twice what a shot takes is calm, whatever was before.
package struct ShotPrioritizer: Hashable, Sendable {
    /// Whether quality is ever stepped down. What was seen of the taps is forgotten when it changes.
    package var isEnabled: Bool {
        didSet { if isEnabled != oldValue { self = ShotPrioritizer(isEnabled: isEnabled) } }
    }
    /// The latest tap that made work.
    private var lastTap: Timestamp?
    private var notches = [
        Notch(from: .quality, to: .balanced, below: .seconds(1)),
        // Taps as quick as frames at 30 a second are what `balanced` is made for.
        Notch(from: .balanced, to: .speed, below: .milliseconds(25)),
    ]

    /// A prioritizer that changes nothing until it is enabled.
    package init(isEnabled: Bool = false) { self.isEnabled = isEnabled }

    /// What the next request gets. Requests are told of in the order in which they are made.
    package mutating func prioritize(_ request: ShotRequest) -> ShotPriority {
        var given = request.asked
        // What takes next to no time neither makes anybody wait nor has to be made quicker.
        guard isEnabled, given != .single, given != .speed else {
            return ShotPriority(given: given, isSteppedDown: false)
        }
        // A tap that lies before the last one was asked for after it all the same: in quick succession.
        let interval = lastTap.map { max(request.tap - $0, .zero) }
        lastTap = lastTap.map { max($0, request.tap) } ?? request.tap
        for index in notches.indices {
            notches[index].note(interval, request)
            if notches[index].isSteppedDown, given == notches[index].quality { given = notches[index].lesser }
        }
        return ShotPriority(given: given, isSteppedDown: given != request.asked)
    }
}

/// Whether a quality can be given at the pace of the taps.
private struct Notch: Hashable, Sendable {
    let quality: PhotoQuality
    /// What is given in its stead.
    let lesser: PhotoQuality
    /// How far apart taps must be while nothing is known of how long shots take.
    private let usual: TimeSpan
    private(set) var isSteppedDown = false
    /// How far apart taps are, as far as it matters.
    private var spacing: TimeSpan?

    init(from quality: PhotoQuality, to lesser: PhotoQuality, below usual: TimeSpan) {
        self.quality = quality
        self.lesser = lesser
        self.usual = usual
    }

    /// Takes in how long the tap was after the one before, if there was one.
    mutating func note(_ interval: TimeSpan?, _ request: ShotRequest) {
        let workers = max(request.workers, 1)
        let known = request.durations[quality]
        let needed = known.map { $0 / Int64(workers) } ?? usual
        // No calm counts for more than another: a burst after an hour is a burst.
        let calm = needed * 2
        var mean = calm
        if let interval, interval < calm {
            // The newest counts for three quarters: taps at two thirds of the spacing needed are found at the second.
            mean = (min(spacing ?? calm, calm) + interval * 3) / 4
        }
        spacing = mean
        // Until the first shot is done, that shots pile up is all that tells of a slow machine.
        let isPilingUp = quality == .quality && known == nil && request.backlog >= 2 * workers
        if mean < needed || isPilingUp {
            isSteppedDown = true
        } else if mean >= needed * 3 / 2, request.backlog < workers {
            isSteppedDown = false
        }
    }
}
