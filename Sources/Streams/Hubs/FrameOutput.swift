// SPDX-License-Identifier: MIT
// An output of a session: every frame as a picture of the size and format that a program wants.

import FrameRing
import LivecapFrames
import LivecapPictures
import LivecapStabilization
import LivecapThreads

/// What an output delivers.
public struct FrameOutputSettings: Hashable, Sendable {
    /// What pictures are made of the frames.
    public var pictures: PictureSettings
    /// How the motion of the camera is taken out of the frames that pictures are made of. Pictures of `cinematic` come
    /// about 0.8 seconds after their frames.
    public var stabilization: StabilizationMode
    /// The maximum rate of pictures; nil for that of the frames. Frames in between are passed over.
    public var rate: FrameRate?
    /// Whether a program that is slower than the camera gets the newest picture, or every picture in order.
    public var delivery: FrameDelivery
    /// The number of pictures that may wait for a program that wants every one. With `newest`, only one waits.
    public var depth: Int

    /// Creates settings; what is left out has its default.
    public init(
        pictures: PictureSettings = PictureSettings(), stabilization: StabilizationMode = .off, rate: FrameRate? = nil,
        delivery: FrameDelivery = .newest, depth: Int = 8
    ) {
        self.pictures = pictures
        self.stabilization = stabilization
        self.rate = rate
        self.delivery = delivery
        self.depth = depth
    }

    /// The number of pictures that may wait.
    var room: Int { delivery == .newest ? 1 : max(1, depth) }
    /// The number of pictures that exist at once: those that wait, one that the program holds, one that its next `next`
    /// returns meanwhile, and one that is being made.
    var buffers: Int { room + 3 }
}

/// Delivers a session's frames as pictures.
///
/// ```swift
/// let small = PictureSettings(format: .rgb24, size: FrameSize(width: 320, height: 180))
/// let output = FrameOutput(FrameOutputSettings(pictures: small))
/// try session.add(output)
/// while let picture = await output.next() { recognise(picture) }
/// ```
///
/// A session may have any number of outputs. What their pictures have in common is done once. Outputs are added and
/// removed whether the session runs or not, and stay when it is stopped, started again, or takes another source: their
/// size stays, too, if it is given.
///
/// Several tasks may share an output; each picture goes to one of them.
public final class FrameOutput: Sendable {
    /// What it delivers.
    public let settings: FrameOutputSettings
    private let state = Guarded(State())
    private let arrivals = AsyncBell()
    private let signal = OwnedSignal()

    private struct State: Sendable {
        var waiting: [Picture] = []
        var statistics = FrameOutputStatistics()
        var isConnected = false
        /// Whether pictures may still come: from its connection on, until the stream ends.
        var isFlowing = false
        /// Whether anybody looks at its pictures.
        var isWanted = true
        var whenWantedChanges: (@Sendable () -> Void)?
    }

    /// Creates an output, which delivers pictures once it is added to a session.
    public init(_ settings: FrameOutputSettings = FrameOutputSettings()) { self.settings = settings }

    // MARK: The program's side

    /// The next picture, as soon as there is one; nil once the stream has ended or the output was removed and all its
    /// pictures are delivered, or if the task is cancelled. After another start of the session, more may follow.
    public func next(isolation: isolated (any Actor)? = #isolation) async -> Picture? {
        await arrivals.first(isolation: isolation) { self.take() }.flatMap { $0.picture }
    }

    /// Waits for the next picture, until `deadline` on CLOCK_MONOTONIC at the latest. For threads of a program's own;
    /// tasks must not block.
    package func next(until deadline: Timestamp) -> Event {
        var event: Event?
        _ = signal.wait(until: deadline) {
            event = take()
            return event != nil
        }
        return event ?? .timedOut
    }

    /// Waits for the next picture, of whatever stream, until `deadline` on CLOCK_MONOTONIC at the latest; nil if
    /// `isOver`, which is asked again after `wake`.
    package func next(until deadline: Timestamp = .distantFuture, unless isOver: () -> Bool) -> Picture? {
        var picture: Picture?
        _ = signal.wait(until: deadline) {
            guard !isOver() else { return true }
            picture = take()?.picture
            return picture != nil
        }
        return picture
    }

    /// Says whether anybody looks at its pictures. If not, none are made, and it does not keep a camera on.
    package func setWanted(_ isWanted: Bool) {
        let notify = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.isWanted != isWanted else { return nil }
            state.isWanted = isWanted
            return state.whenWantedChanges
        }
        notify?()
    }

    var isWanted: Bool { state.withLock { $0.isWanted } }

    /// The outcome of `next(until:)`.
    package enum Event: Sendable {
        case picture(Picture)
        case timedOut
        case ended

        fileprivate var picture: Picture? { if case .picture(let picture) = self { picture } else { nil } }
    }

    /// What became of the frames so far.
    public var statistics: FrameOutputStatistics { state.withLock { $0.statistics } }

    /// Whether it is part of a session.
    public var isConnected: Bool { state.withLock { $0.isConnected } }

    private func take() -> Event? {
        let (picture, isOver) = state.withLock { state in
            guard !state.waiting.isEmpty else { return (nil as Picture?, !state.isFlowing) }
            state.statistics.delivered += 1
            return (state.waiting.removeFirst(), false)
        }
        guard let picture else { return isOver ? .ended : nil }
        // Files and scenes at the fast pace wait for this room.
        signal.notify()
        return .picture(picture)
    }

    // MARK: The session's side

    /// Connects it to a session. Returns false if it is part of one.
    func connect(whenWantedChanges: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard !state.isConnected else { return false }
            state.isConnected = true
            state.isFlowing = true
            state.whenWantedChanges = whenWantedChanges
            return true
        }
    }

    func disconnect() {
        state.withLock { state in
            state.isConnected = false
            state.isFlowing = false
            state.whenWantedChanges = nil
        }
        wake()
    }

    /// Notes that a stream begins or has ended.
    func setFlowing(_ isFlowing: Bool) {
        state.withLock { state in state.isFlowing = isFlowing && state.isConnected }
        if !isFlowing { wake() }
    }

    /// Delivers a picture. One that is still waiting may have to go.
    func deliver(_ picture: Picture) {
        // Released without the lock.
        var replaced: Picture?
        state.withLock { state in
            guard state.isConnected else { return }
            if state.waiting.count >= settings.room {
                state.statistics.note(.late)
                guard settings.delivery == .newest else { return }
                replaced = state.waiting.removeFirst()
            }
            state.waiting.append(picture)
        }
        _ = replaced
        wake()
    }

    /// Waits until there is room for a picture, or the output is removed, or `isOver` after a call of `wake`.
    func waitForRoom(unless isOver: () -> Bool) {
        _ = signal.wait(until: .distantFuture) { hasRoom || isOver() }
    }

    /// Notes frames that did not become pictures.
    func note(_ drop: PictureDrop, _ count: Int = 1) { state.withLock { $0.statistics.note(drop, count) } }

    private var hasRoom: Bool { state.withLock { !$0.isConnected || $0.waiting.count < settings.room } }

    /// Makes those who wait look again.
    package func wake() {
        arrivals.ring()
        signal.notify()
    }
}
