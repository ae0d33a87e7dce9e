// SPDX-License-Identifier: MIT
// What happens while livecap is armed, from whatever thread it is told on to the one that acts.

import Dispatch
import Frames
import LiveCapture
import Shutter
import Synchronization

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
    /// A shot has ended.
    case photo(ShotID, Result<Photo, PhotoError>)
}

/// Waits for what happens.
final class RunInbox: Sendable {
    private let inputs = Mutex<[RunInput]>([])
    private let arrivals = DispatchSemaphore(value: 0)

    func put(_ input: RunInput) {
        inputs.withLock { $0.append(input) }
        arrivals.signal()
    }

    /// The next thing; nil when nothing happens until `deadline`.
    func next(until deadline: Timestamp) -> RunInput? {
        let wait = max(deadline - .now, .zero)
        let timeout = DispatchTime.now() + .nanoseconds(Int(clamping: wait.nanoseconds))
        guard arrivals.wait(timeout: timeout) == .success else { return nil }
        return inputs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}
