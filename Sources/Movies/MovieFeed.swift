// SPDX-License-Identifier: MIT
// Where a movie's frames come from: one stream after the other, each with a ring of its own.

import FrameRing
import LivecapFrames
import LivecapPictures
import LivecapThreads

/// One run of a source into one ring.
struct MovieSource: Sendable {
    /// The source, with the format of the ring's frames.
    let description: SourceDescription
    let ring: Ring
    /// Its JPEG frames, decoded together with the stream's other readers.
    let planes: SharedPlanes
    /// For sources that wait for their readers.
    let gate: FollowerGate?
    /// How the source is mounted at present.
    let mount: @Sendable () -> CameraMount
    /// The name of the camera that delivered the frame of a counter: another may take the first one's place.
    let camera: @Sendable (UInt64) -> String
    /// What keeps the source running, and other cameras from its place.
    let uses: [any AnyObject & Sendable]

    init(
        _ description: SourceDescription, _ ring: Ring, planes: SharedPlanes = SharedPlanes(),
        gate: FollowerGate? = nil, mount: @escaping @Sendable () -> CameraMount = { .upright },
        camera: (@Sendable (UInt64) -> String)? = nil, uses: [any AnyObject & Sendable] = []
    ) {
        var described = description
        described.format = ring.format
        self.description = described
        self.ring = ring
        self.planes = planes
        self.gate = gate
        self.mount = mount
        self.camera = camera ?? { _ in description.name }
        self.uses = uses
    }
}

/// The frame with which a movie begins.
enum MovieStart: Hashable, Sendable {
    /// The first one at or after a time.
    case at(Timestamp)
    /// The one with this counter in the stream of this number, or the oldest after it.
    case next(stream: Int, UInt64)

    /// Whether the movie has begun with a frame of a stream.
    func admits(_ frame: FrameMetadata, of stream: Int) -> Bool {
        switch self {
        case .at(let time): frame.time >= time
        case .next(let first, let counter): stream > first || (stream == first && frame.id.counter >= counter)
        }
    }
}

/// The streams of a movie, in their order. One thread adds them, the movie's takes them.
final class MovieFeed: Sendable {
    /// A stream, and how far it has been read.
    struct Place: ~Copyable, Sendable {
        let number: Int
        let source: MovieSource
        var frames: FrameSubscription
    }

    /// A chapter that was asked for, and the newest frame then.
    struct Mark: Sendable {
        let place: MoviePlace
        /// Nil for a name made of its number.
        let name: String?
    }

    /// A stream that waits to be taken.
    private final class Joined: Sendable {
        let number: Int
        let source: MovieSource
        /// A source at the fast pace waits from the beginning on. A camera waits for nobody, and is read from its
        /// history.
        private let early: Guarded<FrameSubscription?>

        init(_ number: Int, _ source: MovieSource) {
            self.number = number
            self.source = source
            early = Guarded(source.gate.map { FrameSubscription(to: source.ring, gate: $0) })
        }

        var place: Place {
            let early = early.withLock { $0.take() }
            return Place(
                number: number, source: source, frames: early ?? FrameSubscription(to: source.ring, fromOldest: true))
        }
    }

    private struct State: Sendable {
        /// Streams that the movie's thread has not taken yet.
        var waiting: [Joined] = []
        /// The newest stream.
        var ring: Ring?
        var number = -1
        /// Whether no stream follows.
        var isComplete = false
        /// The stream and the counter before which the movie ends.
        var end: (number: Int, counter: UInt64)?
        var pauses = MoviePauses()
        /// Chapters that were asked for, oldest first.
        var marks: [Mark] = []
        var room: MovieMarks

        /// The next frame.
        var next: MoviePlace { MoviePlace(stream: max(number, 0), counter: ring?.nextCounter ?? 0) }
    }

    private let state: Guarded<State>
    private let signal: OwnedSignal

    /// `signal` is notified of whatever happens.
    init(_ signal: OwnedSignal, isSplit: Bool = false) {
        self.signal = signal
        state = Guarded(State(room: MovieMarks(isSplit: isSplit)))
    }

    /// Adds a stream, which follows all others.
    func begin(_ source: MovieSource) {
        state.withLock { state in
            guard state.end == nil, !state.isComplete else { return }
            state.number += 1
            state.ring = source.ring
            state.waiting.append(Joined(state.number, source))
        }
        signal.notify()
    }

    /// Takes no more streams, and lets go of those that wait: the movie has ended.
    func close() {
        state.withLock { state in
            (state.isComplete, state.waiting, state.ring) = (true, [], nil)
            state.end = state.end ?? (state.number, 0)
        }
        signal.notify()
    }

    /// Notes that no stream follows.
    func complete() {
        state.withLock { $0.isComplete = true }
        signal.notify()
    }

    /// Ends the movie with the newest frame published until now. Only the first call counts.
    func stop() {
        state.withLock { state in
            guard state.end == nil else { return }
            state.end = (state.number, state.ring?.nextCounter ?? 0)
        }
        signal.notify()
    }

    var isStopped: Bool { state.withLock { $0.end != nil } }

    /// The next frame, as a beginning.
    var nextFrame: MovieStart {
        let next = state.withLock { $0.next }
        return .next(stream: next.stream, next.counter)
    }

    /// Leaves out the frames that are published from now on.
    func pause() {
        state.withLock { $0.pauses.begin(at: $0.next) }
        signal.notify()
    }

    /// Ends the pause: frames published from now on are part of the movie again.
    func resume() { state.withLock { $0.pauses.end(at: $0.next) } }

    var isPaused: Bool { state.withLock { $0.pauses.isOpen } }

    /// Begins a chapter with the newest frame. Throws if the movie has no room for it.
    func mark(_ name: String?) throws(MovieError) {
        try state.withLock { state throws(MovieError) in
            try state.room.take(name)
            let next = state.next
            let newest = MoviePlace(stream: next.stream, counter: max(next.counter, 1) - 1)
            state.marks.append(Mark(place: newest, name: name))
        }
        signal.notify()
    }

    // MARK: The movie's thread

    /// The next stream, if there is one. With a gate, frames are those since it was added; else all in its history.
    func take() -> Place? {
        state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }?.place
    }

    /// Waits for a stream, or for the end, until `deadline`.
    func wait(until deadline: Timestamp) {
        _ = signal.wait(until: deadline) {
            state.withLock { !$0.waiting.isEmpty || $0.isComplete || $0.end != nil }
        }
    }

    /// Whether there is nothing to take for now.
    var isIdle: Bool { state.withLock { $0.waiting.isEmpty } }

    /// Whether no stream is left to take.
    var isOver: Bool { state.withLock { $0.waiting.isEmpty && ($0.isComplete || $0.end != nil) } }

    /// The chapters that were asked for until the frame at `place` was the newest, oldest first. Only once.
    func takeMarks(upTo place: MoviePlace) -> [Mark] {
        state.withLock { state in
            let count = state.marks.prefix { $0.place <= place }.count
            defer { state.marks.removeFirst(count) }
            return Array(state.marks.prefix(count))
        }
    }

    /// Whether a frame is left out because the movie was paused. Places that are asked for never go back.
    func isPaused(at place: MoviePlace) -> Bool { state.withLock { $0.pauses.contains(place) } }

    /// The counter before which the movie ends in a stream.
    func end(of number: Int) -> UInt64 {
        state.withLock { state in
            guard let end = state.end, number >= end.number else { return .max }
            return number == end.number ? end.counter : 0
        }
    }
}
