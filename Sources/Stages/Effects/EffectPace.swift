// SPDX-License-Identifier: MIT
// Whether effects keep up with the frames, and with how much effort they do.

import LivecapFrames

/// How well effects keep up with the frames.
package struct EffectProgress: Hashable, Sendable {
    /// How much work goes into drawing.
    package var effort: EffectEffort
    /// Pictures that are drawn a second, and frames that come; nil until that is known.
    package var rates: Rates?
    /// Whether effects lower the rate noticeably.
    package var lowersRate = false

    /// Pictures a second, and frames a second, to a tenth; nil until they are known.
    package var fps: Double? { rates.map { ($0.drawn * 10).rounded() / 10 } }
    package var framesFps: Double? { rates.map { ($0.came * 10).rounded() / 10 } }

    /// Numbers a second, over two seconds.
    package struct Rates: Hashable, Sendable {
        /// Pictures with effects.
        package var drawn: Double
        /// Frames, drawn or passed over.
        package var came: Double
    }
}

/// Chooses the effort by how long pictures take. It reads no clock, and counts time by the frames' own.
///
/// Effort goes down by one step if, over half a second, a picture takes more than 80 % of the time between frames, or
/// more than a tenth of the frames were passed over. It goes up by one step after 5 seconds in which pictures took less
/// than 50 %. If that turns out to be too much within 10 seconds, it waits twice as long the next time, up to a minute.
struct EffectPace {
    /// How well they keep up so far.
    private(set) var progress = EffectProgress(effort: .full)
    private var recent = Window()
    private var counted = Window()
    /// For how long less than half of the time has been needed.
    private var calm = Duration.zero
    /// How long that has to last.
    private var patience = Self.usualPatience
    /// How long ago effort went up; nil if it went down after that.
    private var risen: Duration?
    /// The counts in a row in which hardly a frame was passed over.
    private var good = 0

    private static let judged = Duration.milliseconds(500), counts = Duration.seconds(2)
    private static let most = 0.8, little = 0.5
    private static let usualPatience = Duration.seconds(5), longestPatience = Duration.seconds(60)
    private static let trial = Duration.seconds(10)
    /// So many counts in a row must be good before effects are said to no longer lower the rate.
    private static let goodCounts = 3

    /// Pictures, and how long they took.
    private struct Window {
        var span = Duration.zero
        var work = Duration.zero
        var drawn = 0
        var passed = 0

        mutating func add(_ interval: Duration, passed: Int, work: Duration) {
            span += interval
            self.work += work
            drawn += 1
            self.passed += passed
        }

        /// What a picture takes of the time between two frames, whether these were drawn or not.
        var share: Double { work.seconds / Double(drawn) / (span.seconds / Double(drawn + passed)) }
        /// Whether more frames were passed over than may happen now and then.
        var isLosing: Bool { passed * 10 > drawn + passed }
        /// Whether hardly one was.
        var isGood: Bool { passed * 50 <= drawn + passed }
    }

    /// Takes in a picture that took `work` to draw: its frame came `interval` after the one that was drawn before, and
    /// so many between were `passed` over.
    mutating func note(_ interval: Duration, passed: Int, work: Duration) {
        guard interval > .zero else { return }
        recent.add(interval, passed: passed, work: work)
        counted.add(interval, passed: passed, work: work)
        if recent.span >= Self.judged {
            judge(recent)
            recent = Window()
        }
        if counted.span >= Self.counts {
            count(counted)
            counted = Window()
        }
    }

    private mutating func judge(_ window: Window) {
        risen? += window.span
        if window.share > Self.most || window.isLosing {
            calm = .zero
            guard progress.effort > .least else { return }
            progress.effort = progress.effort.lower
            if let risen = risen.take() {
                patience = risen <= Self.trial ? min(patience * 2, Self.longestPatience) : Self.usualPatience
            }
        } else if window.share < Self.little {
            calm += window.span
            guard calm >= patience, progress.effort < .full else { return }
            progress.effort = progress.effort.higher
            calm = .zero
            risen = .zero
        } else {
            calm = .zero
        }
    }

    private mutating func count(_ window: Window) {
        progress.rates = EffectProgress.Rates(
            drawn: Double(window.drawn) / window.span.seconds,
            came: Double(window.drawn + window.passed) / window.span.seconds)
        good = window.isGood ? good + 1 : 0
        if window.isLosing {
            progress.lowersRate = true
        } else if good >= Self.goodCounts {
            progress.lowersRate = false
        }
    }
}
