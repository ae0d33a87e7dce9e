// SPDX-License-Identifier: MIT
// When a movie is paused: between which frames.

import LivecapFrames

/// Time that was left out of a movie while it was paused.
public struct MoviePauseSummary: Hashable, Sendable {
    /// How many pauses lie between two pictures of the movie. One before the first picture, or after the last, leaves
    /// nothing out.
    public var count = 0
    /// How much time they left out.
    public var duration = Duration.zero

    /// None.
    public init() {}
}

/// A frame of one of a movie's streams.
struct MoviePlace: Hashable, Comparable, Sendable {
    /// The stream's number.
    let stream: Int
    /// The frame's counter in its ring.
    let counter: UInt64

    static func < (a: MoviePlace, b: MoviePlace) -> Bool { (a.stream, a.counter) < (b.stream, b.counter) }
}

/// The pauses of a movie, oldest first. A pause leaves out the frames from one place up to another.
struct MoviePauses: Sendable {
    private var pauses: [(begin: MoviePlace, end: MoviePlace?)] = []

    /// Whether the last pause goes on.
    var isOpen: Bool { pauses.last.map { $0.end == nil } ?? false }

    /// Begins a pause with the frame at `place`, unless there is one.
    mutating func begin(at place: MoviePlace) {
        if !isOpen { pauses.append((place, nil)) }
    }

    /// Ends the pause before the frame at `place`, if there is one.
    mutating func end(at place: MoviePlace) {
        guard isOpen, let last = pauses.popLast() else { return }
        if place > last.begin { pauses.append((last.begin, place)) }
    }

    /// Whether a frame is left out. Places that are asked for never go back.
    mutating func contains(_ place: MoviePlace) -> Bool {
        pauses.removeAll { pause in pause.end.map { $0 <= place } ?? false }
        return pauses.first.map { $0.begin <= place } ?? false
    }
}
