// SPDX-License-Identifier: MIT
// Passes on who listens: to pages whenever that changes, to the program when it begins and ends.

import LivecapThreads

/// What is new of the sound, for those who must know that the microphone is heard.
final class SoundNews: Sendable {
    private let beginsOrEnds: @Sendable (Bool) -> Void
    private let state = Guarded(State())

    private struct State: Sendable {
        var wasHeard = false
        var follower: Follower?
    }

    /// Who follows the news.
    struct Follower: Sendable {
        /// Whether anybody listens now.
        let isHeard: @Sendable () -> Bool
        /// Passes on what is new.
        let changed: @Sendable () -> Void
    }

    /// `beginsOrEnds` hears whether anybody listens, when that changes. Must not wait.
    init(_ beginsOrEnds: @escaping @Sendable (Bool) -> Void) { self.beginsOrEnds = beginsOrEnds }

    /// Has all news told to one who follows them.
    func follow(_ follower: Follower) { state.withLock { $0.follower = follower } }

    /// Something is new.
    func tell() {
        // All of it with the lock: of two changes at once, the last that is told is the last that has happened.
        state.withLock { state in
            guard let follower = state.follower else { return }
            let isHeard = follower.isHeard()
            if isHeard != state.wasHeard { beginsOrEnds(isHeard) }
            state.wasHeard = isHeard
            follower.changed()
        }
    }
}
