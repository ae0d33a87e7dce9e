// SPDX-License-Identifier: MIT
// How much work goes into drawing effects, and what is left out when there is less of it.

/// How much work goes into drawing effects. With less, they follow people more slowly; nothing that they hide becomes
/// visible.
package enum EffectEffort: String, CaseIterable, Comparable, Sendable {
    /// As good as they can be.
    case full
    /// Soft things and faces are looked at half as often.
    case lean
    /// As little as possible.
    case least

    /// How many steps it is below `full`.
    private var saved: Int { self == .full ? 0 : self == .lean ? 1 : 2 }

    /// The order is that of the work: `least` comes first.
    package static func < (a: EffectEffort, b: EffectEffort) -> Bool { a.saved > b.saved }

    /// The next one with less work; itself if there is none.
    var lower: EffectEffort { self == .full ? .lean : .least }
    /// The next one with more work; itself if there is none.
    var higher: EffectEffort { self == .least ? .lean : .full }

    /// Faces are looked for in every picture of so many. They move little in a tenth of a second.
    var facesEvery: Int { self == .full ? 3 : 6 }

    /// Where people are is looked at in every picture of so many. If what is behind them is hidden, that is always
    /// every picture: a matte that is too old would show the room where somebody has just been.
    func matteEvery(hides: Bool) -> Int { hides ? 1 : 1 + saved }

    /// What is behind people is blurred anew in every picture of so many.
    var backdropEvery: Int { 1 + saved }

    /// Whether light moves in pictures whose matte is an older one's.
    var alwaysMovesLight: Bool { self != .least }
}
