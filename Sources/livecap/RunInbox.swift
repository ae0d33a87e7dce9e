// SPDX-License-Identifier: MIT
// What happens while livecap is armed, from whatever thread it is told on to the one that acts.

import Dispatch
import Frames
import LiveCapture
import Shutter
import Threads

/// Something that happened.
enum RunInput: Sendable {
    /// A button, by its number.
    case button(Int, ShutterEvent)
    /// Another key of the terminal.
    case key(Character)
    /// A program asks.
    case request(SocketRequest, SocketReply)
    /// A source of taps has ended.
    case ended(ShutterEnd)
    /// A shot has ended; and whom to tell of its final, where it is a proxy that a program asked for.
    case photo(ShotID, Result<Photo, PhotoError>, SocketReplies? = nil)
    /// A photo that was left for later has come further.
    case final(FinalNews)
}

/// Waits for what happens.
final class RunInbox: Sendable {
    private let inputs = Guarded(Line())
    private let arrivals = DispatchSemaphore(value: 0)

    /// Inputs in their order. Taking one costs the same however many wait.
    private struct Line: Sendable {
        private var arrived: [RunInput] = []
        /// The oldest, the last of them first.
        private var next: [RunInput] = []

        var count: Int { arrived.count + next.count }
        mutating func append(_ input: RunInput) { arrived.append(input) }

        mutating func removeFirst() -> RunInput? {
            if next.isEmpty { (next, arrived) = (arrived.reversed(), []) }
            return next.popLast()
        }
    }

    /// As many inputs of others may wait; they come faster than anybody can act on them.
    static let most = 1024

    /// Takes something in; false where too much of its kind waits already, and it is left out.
    @discardableResult
    func put(_ input: RunInput) -> Bool {
        let most = input.mostWaiting
        let isTaken = inputs.withLock { inputs in
            guard inputs.count < most else { return false }
            inputs.append(input)
            return true
        }
        if isTaken { arrivals.signal() }
        return isTaken
    }

    /// The next thing; nil when nothing happens until `deadline`.
    func next(until deadline: Timestamp) -> RunInput? {
        let wait = max(deadline - .now, .zero)
        let timeout = DispatchTime.now() + .nanoseconds(Int(clamping: wait.nanoseconds))
        guard arrivals.wait(timeout: timeout) == .success else { return nil }
        return inputs.withLock { $0.removeFirst() }
    }
}

extension RunInput {
    /// It is taken in while less than this waits.
    fileprivate var mostWaiting: Int {
        switch self {
        // One's own, and no more than there are shots and sources.
        case .photo, .final, .ended: .max
        // A button that nobody lets go of goes on taking pictures.
        case .button(_, .released): 2 * RunInbox.most
        case .request(let request, _) where [.release, .left].contains(request.wish): 2 * RunInbox.most
        case .button, .key, .request: RunInbox.most
        }
    }
}
