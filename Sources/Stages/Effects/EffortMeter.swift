// SPDX-License-Identifier: MIT
// Measures how long pictures with effects take.

import LivecapFrames

/// Measures pictures from the beginning of decoding to the end of drawing, for those that must keep up with a camera.
struct EffortMeter {
    private let clock: () -> Timestamp
    private let isUnderPressure: () -> Bool
    private var pace = EffectPace()
    private var begun: Timestamp?
    private var passed = 0
    /// So many pictures still say nothing: nets and files may be loaded for the first one, and frames are passed over
    /// meanwhile.
    private var unsettled = Self.settling

    private static let settling = 2

    /// By a clock. While the machine `isUnderPressure`, effort is not full.
    init(_ clock: @escaping () -> Timestamp, isUnderPressure: @escaping () -> Bool) {
        self.clock = clock
        self.isUnderPressure = isUnderPressure
    }

    /// How well effects keep up so far.
    var progress: EffectProgress {
        var progress = pace.progress
        if isUnderPressure() { progress.effort = min(progress.effort, .lean) }
        return progress
    }

    /// What was measured says nothing about what follows.
    mutating func forget() {
        pace = EffectPace()
        settle()
    }

    /// Other effects are drawn from now on.
    mutating func settle() {
        unsettled = Self.settling
        passed = 0
    }

    /// So many frames were passed over before the next picture.
    mutating func pass(_ count: Int) { passed += count }

    /// A picture begins.
    mutating func begin() { begun = clock() }

    /// The picture is drawn; its frame came `interval` after the one before, or begins anew if that is zero.
    mutating func end(after interval: Duration) {
        guard let begun = begun.take() else { return }
        // Of the frames that are not taken because of pressure, some may also be passed over.
        let missed = isUnderPressure() ? 0 : passed
        passed = 0
        guard unsettled == 0 else {
            unsettled -= 1
            return
        }
        pace.note(interval, passed: missed, work: clock() - begun)
    }
}
