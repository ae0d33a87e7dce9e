// SPDX-License-Identifier: MIT
// Asks a camera for a key frame after a loss, if it can be asked.

import LivecapFrames
import LivecapThreads
import Synchronization

/// Asks a camera for key frames, at most once a second, on a thread of its own: a camera that answers nothing keeps its
/// caller for five seconds, and neither its frames nor their decoding wait for that. The thread begins with the first
/// wish.
final class KeyFrameRequests: Sendable {
    /// What became of a request.
    enum Answer: Hashable, Sendable {
        /// The camera will send a key frame.
        case taken
        /// It did not answer, or cannot now.
        case refused
        /// It has no such request, so it is not asked again.
        case unknown
    }

    /// Asks the camera with that identity. Blocks.
    typealias Ask = @Sendable (_ identity: String) -> Answer

    /// The time from one request to the next.
    static let interval = Duration.seconds(1)

    private let ask: Ask
    private let account: DecodingAccount
    private let camera: Guarded<String>
    private let last = Atomic<Int64>(.min)
    private let isWanted = Atomic<Bool>(false)
    private let isPointless = Atomic<Bool>(false)
    private let hasThread = Atomic<Bool>(false)
    private let alarm = Alarm()

    /// Requests to the camera with an identity, which are counted in `account`.
    init(to identity: String, _ account: DecodingAccount, _ ask: @escaping Ask) {
        self.ask = ask
        self.account = account
        camera = Guarded(identity)
    }

    /// Another camera took its place.
    func move(to identity: String) {
        camera.withLock { camera in
            camera = identity
            isPointless.store(false, ordering: .relaxed)
        }
    }

    /// A key frame is needed at `now`. Called for each frame without a picture, always by the same thread, and returns
    /// at once.
    func wish(at now: Timestamp) {
        guard !isPointless.load(ordering: .relaxed) else { return }
        let earlier = last.load(ordering: .relaxed)
        guard earlier == .min || now.nanoseconds - earlier >= Self.interval.nanoseconds else { return }
        last.store(now.nanoseconds, ordering: .relaxed)
        // Pairs with the acquiring exchange of the thread.
        isWanted.store(true, ordering: .releasing)
        begin()
        alarm.rouse()
    }

    /// Ends the thread. A request under way is not waited for.
    func end() { alarm.switchOff() }

    /// Without a thread, nothing is asked: the stream goes on with the camera's own key frames.
    private func begin() {
        guard !hasThread.load(ordering: .relaxed), !alarm.isOff else { return }
        guard let thread = try? SystemThread(name: "key frames", { [self] in run() }) else { return }
        hasThread.store(true, ordering: .relaxed)
        thread.detach()
    }

    private func run() {
        while !alarm.isOff {
            alarm.wait { isWanted.load(ordering: .acquiring) }
            guard !alarm.isOff, isWanted.exchange(false, ordering: .acquiring) else { continue }
            let asked = camera.withLock { $0 }
            switch ask(asked) {
            case .taken: account.askedForKey()
            case .refused: break
            case .unknown: camera.withLock { if $0 == asked { isPointless.store(true, ordering: .relaxed) } }
            }
        }
    }
}
