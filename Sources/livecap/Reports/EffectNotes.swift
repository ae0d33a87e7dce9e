// SPDX-License-Identifier: MIT
// Notes about effects that do not keep up with the frames, at the beginning and the end, or are not drawn after all.

import LivecapEffects
import LivecapThreads

/// What was said of effects so far.
struct EffectNotes {
    private enum State {
        case full, lessEffort, lowerRate
    }

    private var noted = State.full
    private var notedFault: EffectFault?

    /// What to say of effects that are not drawn after all; nil if there are none, or that was said before.
    mutating func words(ofFault fault: EffectFault?) -> String? {
        guard fault != notedFault else { return nil }
        notedFault = fault
        return fault?.description
    }

    /// What to say of how they keep up now; nil if that was said before.
    mutating func words(_ progress: EffectProgress?) -> String? {
        let state: State =
            switch progress {
            case let progress? where progress.lowersRate: .lowerRate
            case let progress? where progress.effort < .full: .lessEffort
            default: .full
            }
        guard state != noted else { return nil }
        let before = noted
        noted = state
        // Effects that are off say nothing.
        guard let progress else { return nil }
        switch state {
        case .full: return "effects are drawn with full effort again"
        case .lessEffort where before == .lowerRate:
            return "effects no longer lower the rate; they are drawn with less effort"
        case .lessEffort: return "effects are drawn with less effort, to keep up with the frames"
        case .lowerRate: return "effects lower the rate\(Self.rates(progress))"
        }
    }

    private static func rates(_ progress: EffectProgress) -> String {
        guard let rates = progress.rates else { return "" }
        return " to \(fixed(rates.drawn, 0)) frames per second of \(fixed(rates.came, 0))"
    }

    /// Prints notes of a board's effects, on the thread of the program's tasks, until the result is called. What draws
    /// does not wait for a terminal.
    static func follow(_ board: EffectBoard, on tasks: TaskThread) -> @Sendable () -> Void {
        let notes = Guarded(EffectNotes())
        return board.onChange { [weak board] in
            guard let board else { return }
            let news = notes.withLock { notes in
                [notes.words(ofFault: board.fault), notes.words(board.progress)].compactMap(\.self)
            }
            guard !news.isEmpty else { return }
            Task.detached(executorPreference: tasks) { for words in news { Console.note("note: \(words)") } }
        }
    }
}
