// SPDX-License-Identifier: MIT
// Passes events from any thread to the one that acts on them, while livecap is armed.

import Dispatch
import LiveCapture
import LivecapFrames
import LivecapThreads
import Shutter

/// An event.
enum RunInput: Sendable {
    /// A button was pressed or released, given by its number.
    case button(Int, ShutterEvent)
    /// A button that reports no releases was pressed.
    case click(Int, at: Timestamp)
    /// Another key of the terminal, or of the window, was pressed.
    case key(Character)
    /// A picture is asked for in the window: of the frame that it shows, by its time; nil before the first.
    case shown(Timestamp?, at: Timestamp)
    /// A client sent a request.
    case request(SocketRequest, SocketReply)
    /// A source of taps has ended.
    case ended(ShutterEnd)
    /// A shot has ended. The replies are set if it is a proxy that a client asked for: the client is sent the final's
    /// outcome. The movie is what became of `--live`.
    case photo(ShotID, Result<Photo, PhotoError>, SocketReplies? = nil, movie: Result<LiveMovie, Failure>? = nil)
    /// The pictures of a tap that several cameras took are there, or have failed.
    case group(GroupPhoto)
    /// A deferred photo was finished or has failed.
    case final(FinalNews)
    /// A movie has begun, or has ended.
    case movie(MovieNews)
    /// A page ends the movie of a number.
    case endMovie(number: Int)
    /// A recording has ended.
    case recording(RunRecord)
    /// What is known of the people in a frame.
    case facts(FrameFacts)
    /// The trigger of a number has noticed something.
    case trigger(TriggerEvent, number: Int)
}

/// The queue of events.
final class RunInbox: Sendable {
    private let inputs = Guarded(Line())
    private let arrivals = DispatchSemaphore(value: 0)

    /// Inputs in their order. Taking one costs the same however many there are.
    private struct Line: Sendable {
        private var arrived: [RunInput] = []
        /// The oldest inputs, in reverse order.
        private var next: [RunInput] = []
        var droppedPresses = 0

        var count: Int { arrived.count + next.count }
        mutating func append(_ input: RunInput) { arrived.append(input) }

        mutating func removeFirst() -> RunInput? {
            if next.isEmpty { (next, arrived) = (arrived.reversed(), []) }
            return next.popLast()
        }
    }

    /// The maximum number of inputs from clients and buttons, which can come faster than they are handled.
    static let maxInputs = 1024

    /// Adds an input. Returns false if too many of its kind are waiting already; it is then left out, and counted if it
    /// is a press of a button or key. A request's client must be told.
    @discardableResult
    func put(_ input: RunInput) -> Bool {
        let most = input.maxWaiting
        let isTaken = inputs.withLock { inputs in
            guard inputs.count < most else {
                if input.isPress { inputs.droppedPresses += 1 }
                return false
            }
            inputs.append(input)
            return true
        }
        if isTaken { arrivals.signal() }
        return isTaken
    }

    /// Has the reader look at what has changed elsewhere.
    func poke() { arrivals.signal() }

    /// Whether nothing is waiting.
    var isEmpty: Bool { inputs.withLock { $0.count == 0 } }

    /// The number of presses that were left out so far.
    var droppedPresses: Int { inputs.withLock { $0.droppedPresses } }

    /// The next input; nil if there is none until `deadline`, or until `poke`.
    func next(until deadline: Timestamp) -> RunInput? {
        let wait = max(deadline - .now, .zero)
        let timeout = DispatchTime.now() + .nanoseconds(Int(clamping: wait.nanoseconds))
        guard arrivals.wait(timeout: timeout) == .success else { return nil }
        return inputs.withLock { $0.removeFirst() }
    }
}

extension RunInput {
    fileprivate var isPress: Bool {
        switch self {
        case .button(_, .pressed), .click, .key, .shown, .trigger(.began, _): true
        case .button(_, .released), .request, .ended, .photo, .group, .final, .movie, .endMovie, .recording, .facts,
            .trigger(.ended, _):
            false
        }
    }

    /// The input is accepted while fewer than this many are waiting.
    fileprivate var maxWaiting: Int {
        switch self {
        // These come from livecap itself; there are no more than there are shots and sources.
        case .photo, .group, .final, .ended, .movie, .endMovie, .recording: .max
        // A button whose release was lost would go on taking pictures.
        case .button(_, .released), .trigger(.ended, _): 2 * RunInbox.maxInputs
        case .request(let request, _) where [.release, .left].contains(request.wish): 2 * RunInbox.maxInputs
        case .button, .click, .key, .shown, .request, .trigger: RunInbox.maxInputs
        // Newer ones follow.
        case .facts: RunInbox.maxInputs / 2
        }
    }
}
