// SPDX-License-Identifier: MIT
// A photo as its library describes it.

import LivecapFrames

/// Identifies a photo of a library by its number. The number is never given to another photo, even after this one is
/// removed.
public struct PhotoID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number, counted from 1.
    public let number: Int64

    /// The photo with that number.
    public init(number: Int64) { self.number = number }
    /// Parses a number; nil if the text is not a positive number.
    public init?(_ text: some StringProtocol) {
        guard let number = Int64(text), number > 0 else { return nil }
        self.number = number
    }
    /// Whether `a` has the smaller number.
    public static func < (a: PhotoID, b: PhotoID) -> Bool { a.number < b.number }
    /// The number in decimal.
    public var description: String { "\(number)" }
}

/// The state of a photo.
public enum PhotoState: Hashable, Sendable {
    /// The photo has its final.
    case finished
    /// The photo has a proxy; the final is still to be made from the kept frames.
    case deferred
    /// The photo has a proxy; making the final failed for this reason. It is only tried again when asked for by number.
    case failed(reason: String)

    /// The state's name in JSON. It never changes.
    public var name: String {
        switch self {
        case .finished: "finished"
        case .deferred: "deferred"
        case .failed: "failed"
        }
    }
}

/// A picture file of a library.
public struct LibraryFile: Hashable, Codable, Sendable {
    /// Its path within the library's folder.
    public let place: String
    /// Its size in bytes.
    public let byteCount: Int
    /// The XXH3-64 checksum of its bytes.
    public let checksum: UInt64
}

/// A photo as its library describes it.
public struct LibraryPhoto: Hashable, Codable, Sendable, Identifiable {
    /// The photo's number.
    public let id: PhotoID
    /// The photo's state.
    public let state: PhotoState
    /// The moment it shows, as calendar time.
    public let taken: CalendarTime
    /// The moment that was asked for, on the source's clock.
    public let tap: Timestamp
    /// The moment it shows, on the source's clock.
    public let reference: Timestamp
    /// The size of its picture in pixels, as it is shown: a photo that its file says to turn is described turned.
    public let size: FrameSize
    /// The format of its final; nil if this version does not know it.
    public let format: StillFormat?
    /// The quality asked for; nil if this version does not know it.
    public let qualityAsked: PhotoQuality?
    /// The quality it has, or its final will have; nil if this version does not know it.
    public let qualityGiven: PhotoQuality?
    /// The path of its final, now or later, within the library's folder.
    public let finalPath: String
    /// Its current file: the final, or else the proxy.
    public let file: LibraryFile
    /// The whole path of the current file.
    public let path: String
    /// How many source frames are kept for it.
    public let keptFrames: Int
    /// The size of those frames in bytes; photos may share some.
    public let keptBytes: Int
    /// Whether the library has a mask of its current picture: where people are in it.
    public let hasMask: Bool
    /// When it was added, in UTC.
    public let added: CalendarTime
    /// When its final was added, in UTC; nil if there is none.
    public let finished: CalendarTime?
    /// When it was moved to the trash, in UTC; nil if it is not there.
    public let removed: CalendarTime?
    /// What its owner thinks of it, from 1 to 5 stars; 0 if that is not known.
    public let rating: Int
    /// The photos that it belongs to, which other cameras took at the same tap; nil if it was taken alone.
    public let group: PhotoGroup?

    /// Where its proxy is kept, because another program had changed it: in the report that the final is there. Nil
    /// otherwise, and for photos that are looked up.
    public internal(set) var editedProxy: String?

    /// Whether its current file is a proxy.
    public var isProxy: Bool { state != .finished }
    /// The reference frame's time minus the tap's: negative if the frame came before the tap.
    public var lag: Duration { reference - tap }
}

extension LibraryPhoto {
    /// Decodes a photo, also as versions wrote it that knew nothing of masks and ratings.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        id = try fields.decode(PhotoID.self, forKey: .id)
        state = try fields.decode(PhotoState.self, forKey: .state)
        taken = try fields.decode(CalendarTime.self, forKey: .taken)
        tap = try fields.decode(Timestamp.self, forKey: .tap)
        reference = try fields.decode(Timestamp.self, forKey: .reference)
        size = try fields.decode(FrameSize.self, forKey: .size)
        format = try fields.decodeIfPresent(StillFormat.self, forKey: .format)
        qualityAsked = try fields.decodeIfPresent(PhotoQuality.self, forKey: .qualityAsked)
        qualityGiven = try fields.decodeIfPresent(PhotoQuality.self, forKey: .qualityGiven)
        finalPath = try fields.decode(String.self, forKey: .finalPath)
        file = try fields.decode(LibraryFile.self, forKey: .file)
        path = try fields.decode(String.self, forKey: .path)
        keptFrames = try fields.decode(Int.self, forKey: .keptFrames)
        keptBytes = try fields.decode(Int.self, forKey: .keptBytes)
        hasMask = try fields.decodeIfPresent(Bool.self, forKey: .hasMask) ?? false
        added = try fields.decode(CalendarTime.self, forKey: .added)
        finished = try fields.decodeIfPresent(CalendarTime.self, forKey: .finished)
        removed = try fields.decodeIfPresent(CalendarTime.self, forKey: .removed)
        rating = try fields.decodeIfPresent(Int.self, forKey: .rating) ?? 0
        group = try fields.decodeIfPresent(PhotoGroup.self, forKey: .group)
        editedProxy = try fields.decodeIfPresent(String.self, forKey: .editedProxy)
    }
}

extension LibraryPhoto: CustomStringConvertible {
    /// Such as `photo 12, finished, taken 2026-11-21T22:30:15.042+02:00`.
    public var description: String { "photo \(id), \(state.name), taken \(taken)" }
}

/// Further data about a photo, stored as given: JSON that the library does not interpret.
package struct PhotoAccount: Hashable, Codable, Sendable {
    /// What is needed to make its final.
    public let request: String
    /// How its current file was made.
    public let provenance: String
}

/// The order in which photos are listed.
public enum LibraryOrder: String, Hashable, Codable, Sendable, CaseIterable {
    /// The latest moment first.
    case newest
    /// The earliest moment first.
    case oldest
    /// The largest file first.
    case size
    /// The photo with the most bytes of kept frames first.
    case kept

    /// Whether photos are ordered by moment, so that a page can begin after any of them.
    public var isByMoment: Bool { self == .newest || self == .oldest }
}

/// Selects a page of a library's photos.
public struct LibraryPage: Hashable, Codable, Sendable {
    /// The maximum number of photos.
    public var limit: Int
    /// Only photos after this one, which is the last of the previous page, in an order by moment. If it has been
    /// removed since, the page begins after the position of the photo with the next smaller number.
    public var after: PhotoID?
    /// Only photos that are not finished.
    public var unfinishedOnly: Bool
    /// Only photos taken on these days.
    public var days: CalendarDays?
    /// Only photos with this many stars or more.
    public var minimumRating: Int?
    /// Only the photos of this group, which several cameras took at one tap.
    public var group: String?
    /// The photos in the trash, instead of those that are not there.
    public var trashOnly = false
    /// The order of the photos.
    public var order: LibraryOrder

    /// Creates a page: the first one, or the one after a photo.
    public init(
        limit: Int = 50, after: PhotoID? = nil, unfinishedOnly: Bool = false, days: CalendarDays? = nil,
        order: LibraryOrder = .newest
    ) {
        self.limit = limit
        self.after = after
        self.unfinishedOnly = unfinishedOnly
        self.days = days
        self.order = order
    }

    /// Decodes a page, also as versions wrote it that knew nothing of the trash.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        limit = try fields.decode(Int.self, forKey: .limit)
        after = try fields.decodeIfPresent(PhotoID.self, forKey: .after)
        unfinishedOnly = try fields.decode(Bool.self, forKey: .unfinishedOnly)
        days = try fields.decodeIfPresent(CalendarDays.self, forKey: .days)
        minimumRating = try fields.decodeIfPresent(Int.self, forKey: .minimumRating)
        group = try fields.decodeIfPresent(String.self, forKey: .group)
        trashOnly = try fields.decodeIfPresent(Bool.self, forKey: .trashOnly) ?? false
        order = try fields.decode(LibraryOrder.self, forKey: .order)
    }
}

/// The totals of a library.
public struct LibrarySummary: Hashable, Codable, Sendable {
    /// The number of photos, including unfinished ones.
    public var photos = 0
    /// The number of photos that are not finished.
    public var unfinished = 0
    /// The size of their files in bytes.
    public var bytes = 0
    /// The number of photos in the trash, which are counted nowhere else here; their kept frames are.
    public var trashed = 0
    /// The number of kept source frames, each counted once.
    public var keptFrames = 0
    /// The size of those frames in bytes.
    public var keptBytes = 0
}

extension LibrarySummary {
    /// Decodes totals, also as versions wrote them that knew nothing of the trash.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        photos = try fields.decode(Int.self, forKey: .photos)
        unfinished = try fields.decode(Int.self, forKey: .unfinished)
        bytes = try fields.decode(Int.self, forKey: .bytes)
        trashed = try fields.decodeIfPresent(Int.self, forKey: .trashed) ?? 0
        keptFrames = try fields.decode(Int.self, forKey: .keptFrames)
        keptBytes = try fields.decode(Int.self, forKey: .keptBytes)
    }
}

extension PhotoID: Codable {
    /// Decodes the number in decimal. Throws `DecodingError` for anything else.
    public init(from decoder: any Decoder) throws { self = try decoder.value { PhotoID($0) } }
    /// Encodes the number in decimal.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(text: "\(self)") }
}

extension PhotoState: Codable {
    private enum Key: String, CodingKey { case state, reason }

    /// Decodes the state's name, with the reason of a failure. Throws `DecodingError` for anything else.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        switch try fields.decode(String.self, forKey: .state) {
        case "finished": self = .finished
        case "deferred": self = .deferred
        case "failed": self = .failed(reason: try fields.decode(String.self, forKey: .reason))
        case let name:
            throw DecodingError.dataCorruptedError(
                forKey: .state, in: fields, debugDescription: "a photo is never '\(name)'")
        }
    }

    /// Encodes the state's name, with the reason of a failure.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Key.self)
        try fields.encode(name, forKey: .state)
        if case .failed(let reason) = self { try fields.encode(reason, forKey: .reason) }
    }
}
