// SPDX-License-Identifier: MIT
// A photo as its library knows it.

import Frames

/// Which photo of a library: a number that no other photo of it ever gets, also when this one is removed.
public struct PhotoID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Counts a library's photos from 1.
    public let number: Int64

    /// The photo of that number.
    public init(number: Int64) { self.number = number }
    /// The photo of the number that the text says; nil where it says none.
    public init?(_ text: some StringProtocol) {
        guard let number = Int64(text), number > 0 else { return nil }
        self.number = number
    }
    /// Whether `a` was added before `b`.
    public static func < (a: PhotoID, b: PhotoID) -> Bool { a.number < b.number }
    /// The number.
    public var description: String { "\(number)" }
}

/// How far a photo has come.
public enum PhotoState: Hashable, Sendable {
    /// It is as good as it will be.
    case finished
    /// There is a proxy; the final is still to be made of the kept frames.
    case deferred
    /// There is a proxy; making the final failed, for this reason. It is tried again only when asked for by name.
    case failed(reason: String)

    /// The state's name in JSON, never to change.
    public var name: String {
        switch self {
        case .finished: "finished"
        case .deferred: "deferred"
        case .failed: "failed"
        }
    }
}

/// A picture file of a library.
public struct LibraryFile: Hashable, Sendable {
    /// Where it lies in the library's folder.
    public let place: String
    /// How many bytes it has.
    public let byteCount: Int
    /// The XXH3-64 of its bytes.
    public let checksum: UInt64
}

/// A photo as its library knows it.
public struct LibraryPhoto: Hashable, Sendable, Identifiable {
    /// Which one it is.
    public let id: PhotoID
    /// How far it has come.
    public let state: PhotoState
    /// The moment it shows, by the calendar.
    public let taken: CalendarTime
    /// The moment that was asked for, on the source's clock.
    public let tap: Timestamp
    /// The moment it shows, on the source's clock.
    public let reference: Timestamp
    /// Pixels of its picture.
    public let size: FrameSize
    /// What its file, or the final's, ends with.
    public let suffix: String
    /// The quality that was asked for.
    public let qualityAsked: String
    /// The quality it has, or its final will have.
    public let qualityGiven: String
    /// Where the final lies, or will lie, in the library's folder.
    public let finalPlace: String
    /// What there is of it now: the final, or else the proxy.
    public let file: LibraryFile
    /// The whole path of that.
    public let path: String
    /// How many source frames are kept for it.
    public let keptFrames: Int
    /// How many bytes these have; photos may share some.
    public let keptBytes: Int
    /// When it was added, in nanoseconds since 1970, UTC.
    public let addedUTC: Int64
    /// When its final was there, likewise.
    public let finishedUTC: Int64?

    /// Whether what there is of it now is a proxy.
    public var isProxy: Bool { state != .finished }
    /// The reference's time minus the tap.
    public var lag: TimeSpan { reference - tap }
}

/// What is told of a photo beside that, as it was given: JSON that the library does not look into.
public struct PhotoAccount: Hashable, Sendable {
    /// What is needed to make its final.
    public let request: String
    /// How what there is of it now was made.
    public let provenance: String
}

/// In which order photos are listed.
public enum LibraryOrder: String, Hashable, Sendable, CaseIterable {
    /// The latest moment first.
    case newest
    /// The earliest moment first.
    case oldest
    /// The largest file first.
    case size
    /// The one with the most bytes of kept frames first.
    case kept

    /// Whether photos come by their moments, so that a page can go on after any of them.
    public var isByMoment: Bool { self == .newest || self == .oldest }
}

/// A stretch of a library's photos.
public struct LibraryPage: Hashable, Sendable {
    /// How many photos at most.
    public var limit: Int
    /// Only those that come after this one, the last of the previous page, by moment. Where it has been removed since, those
    /// after its place: that of the photo added right before it.
    public var after: PhotoID?
    /// Only those that are not finished.
    public var unfinishedOnly: Bool
    /// Only those taken on these days.
    public var days: CalendarDays?
    /// Which comes first.
    public var order: LibraryOrder

    /// The first page, or that after a photo.
    public init(
        limit: Int = 50, after: PhotoID? = nil, unfinishedOnly: Bool = false, days: CalendarDays? = nil,
        order: LibraryOrder = .newest
    ) {
        (self.limit, self.after, self.unfinishedOnly) = (limit, after, unfinishedOnly)
        (self.days, self.order) = (days, order)
    }
}

/// What a library has in all.
public struct LibrarySummary: Hashable, Sendable {
    /// Photos, those that are not finished among them.
    public var photos = 0
    /// Photos that are not finished.
    public var unfinished = 0
    /// Bytes of their files.
    public var bytes = 0
    /// Source frames that are kept, each counted once.
    public var keptFrames = 0
    /// Bytes of those.
    public var keptBytes = 0
}
