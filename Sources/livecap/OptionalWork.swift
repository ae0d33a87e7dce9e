// SPDX-License-Identifier: MIT
// What the end of a program can leave out: it is said while it goes on, and a second signal gives it up.

import LivecapThreads

/// Work at the end that can be left out, such as a copy made for convenience.
struct OptionalWork: Sendable {
    /// Whether it is what the end waits for.
    let isGoingOn: @Sendable () -> Bool
    /// Whether it goes on or is still to come, so that it can be given up.
    let isThere: @Sendable () -> Bool
    let giveUp: @Sendable () -> Void
    /// Nil for work that says itself how far it is.
    var words: Words?

    /// What is said of it.
    struct Words: Sendable {
        /// While it goes on.
        let going: String
        /// Once it is given up.
        let givenUp: String
    }
}

/// All of it in a program that is to end.
final class OptionalWorks: Sendable {
    private struct Offered: Sendable {
        let work: OptionalWork
        /// At how many looks it was going on; what is over at the next one is not worth a word.
        var looks = 0
    }

    private let offered = Guarded<[Offered]>([])

    func offer(_ work: OptionalWork) { offered.withLock { $0.append(Offered(work: work)) } }

    private var works: [OptionalWork] { offered.withLock { $0 }.map(\.work) }

    /// Whether the end waits for some.
    var isGoingOn: Bool { works.contains { $0.isGoingOn() } }

    /// Whether there is something to be given up.
    var isThere: Bool { works.contains { $0.isThere() } }

    /// Looks at the work, and returns what is to be said of it now: of each once, when it goes on for a second look.
    func wordsToSay() -> [String] {
        offered.withLock { offered in
            var words: [String] = []
            for number in offered.indices where offered[number].work.isGoingOn() {
                offered[number].looks += 1
                if offered[number].looks == 2, let own = offered[number].work.words { words.append(own.going) }
            }
            return words
        }
    }

    /// Gives up what is there, and returns what is to be said of that; nil if nothing is there. From then on, there is
    /// nothing to be given up.
    func giveUp() -> [String]? {
        let there = works.filter { $0.isThere() }
        guard !there.isEmpty else { return nil }
        offered.withLock { $0 = [] }
        for work in there { work.giveUp() }
        return there.compactMap { $0.words?.givenUp }
    }
}
