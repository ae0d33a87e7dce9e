// SPDX-License-Identifier: MIT
// What begins and ends a movie without a tap.

import Camera
import LiveCapture
import LivecapFrames
import LivecapSound
import LivecapThreads

/// The triggers of one movie.
final class MovieTriggers {
    private var leaves: [@Sendable () -> Void] = []
    private var watches: [SoundWatch] = []
    private let board = Board()

    /// What the threads of triggers share.
    private final class Board: Sendable {
        let state = Guarded(MovieTriggerState())
    }

    /// Whether the movie that one of them began is to end.
    var hasEnded: Bool { board.state.withLock { $0.hasEnded } }

    /// Begins to watch and to listen. Nil without triggers. `began` gets each cause and says whether the movie begins
    /// with it. `ended` is called once all is quiet after such a beginning.
    init?(
        _ choices: [TriggerChoice], _ host: Host, _ sound: SoundCapture?,
        began: @escaping @Sendable (TriggerCause) -> Bool, ended: @escaping @Sendable () -> Void
    ) throws(Failure) {
        guard !choices.isEmpty else { return nil }
        let board = board
        for (number, choice) in choices.enumerated() {
            let take: @Sendable (TriggerEvent) -> Void = { event in
                switch event {
                case .began(let cause):
                    board.state.withLock { _ = $0.active.insert(number) }
                    if began(cause) { board.state.withLock { $0.isOwn = true } }
                case .ended:
                    if board.state.withLock({ $0.end(number) }) { ended() }
                }
            }
            try attempt { () throws(CameraError) in try self.begin(choice, host, sound: sound, take) }
        }
    }

    deinit { close() }

    private func begin(
        _ choice: TriggerChoice, _ host: Host, sound: SoundCapture?,
        _ take: @escaping @Sendable (TriggerEvent) -> Void
    ) throws(CameraError) {
        switch choice {
        case .motion(let trigger):
            let end: @Sendable (CameraError?) -> Void = { error in
                if let error { Console.note("note: motion is noticed no more: \(error.message); \(error.hint)") }
            }
            leaves.append(try host.session.followMotion(trigger, end: end, take))
        case .sound(let trigger):
            guard let sound else { return }
            watches.append(
                try CameraError.wrapping { () throws(SystemShortage) in try SoundWatch(sound, trigger, take) })
        case .every: break
        }
    }

    /// Notices no more.
    func close() {
        for leave in leaves { leave() }
        leaves = []
        for watch in watches { watch.close() }
        watches = []
    }
}

/// Which of a movie's triggers notice something.
struct MovieTriggerState: Sendable {
    /// Their numbers.
    var active: Set<Int> = []
    /// Whether one of them has begun the movie.
    var isOwn = false
    /// Whether it is to end.
    private(set) var hasEnded = false

    init() {}

    /// Notes that one notices nothing more. Returns whether the movie is to end.
    mutating func end(_ number: Int) -> Bool {
        active.remove(number)
        if isOwn, active.isEmpty { hasEnded = true }
        return hasEnded
    }
}
