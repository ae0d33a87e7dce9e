// SPDX-License-Identifier: MIT
// How many marks a movie takes, and how long their names may be.

/// The room that the marks of a movie have used. Each costs the writer a rewrite of the file's room for chapters, so
/// what has no place there is refused when it is asked for.
struct MovieMarks: Sendable {
    /// The longest name, in bytes: MP4 counts them by one byte.
    static let nameLimit = 255
    /// The room of one file, and what a mark takes of it besides its name: that of the container with the larger
    /// chapters, Matroska. `ChapterRoom` has a little more, for the chapters of cameras.
    private static let room = 8000
    private static let cost = 32
    /// A movie in parts has a room in each. Without a limit, marks that are asked for faster than parts begin would
    /// pile up.
    private static let maxParts = 100

    private var left: Int

    init(isSplit: Bool) { left = isSplit ? Self.maxParts * Self.room : Self.room }

    /// Takes the room for a mark. Throws if its name is too long, or if there is no room.
    mutating func take(_ name: String?) throws(MovieError) {
        let count = name?.utf8.count ?? 0
        guard count <= Self.nameLimit else { throw .markTooLong(limit: Self.nameLimit) }
        // Without a name, it gets one such as "Mark 100".
        let cost = Self.cost + (name == nil ? 8 : count)
        guard cost <= left else { throw .tooManyMarks }
        left -= cost
    }
}
