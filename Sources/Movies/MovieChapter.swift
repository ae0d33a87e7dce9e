// SPDX-License-Identifier: MIT
// Chapters of a movie: its cameras, and what was marked while it was made.

import LivecapFrames

/// A chapter of a movie, which lasts until the next one.
public struct MovieChapter: Hashable, Codable, Sendable {
    /// When it begins.
    public var begin: Duration
    /// Its name; empty if it has none.
    public var name: String

    /// Creates a chapter.
    public init(begin: Duration, name: String) { (self.begin, self.name) = (begin, name) }
}

extension [MovieChapter] {
    /// Adds a chapter, which begins at `time`. Readers of Matroska leave out chapters that begin at the same time as
    /// others: it begins at least a millisecond after the last one.
    mutating func add(_ name: String, at time: Duration) {
        let earliest = last.map { $0.begin + .milliseconds(1) } ?? .zero
        append(MovieChapter(begin: Swift.max(time, earliest), name: name))
    }
}
