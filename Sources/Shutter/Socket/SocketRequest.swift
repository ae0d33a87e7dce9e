// SPDX-License-Identifier: MIT
// What a client of the socket may ask for.

import Frames
import JSONText

/// One line of a client: what it wants, and when it came.
public struct SocketRequest: Hashable, Sendable {
    /// What a client wants.
    public enum Wish: Hashable, Sendable {
        /// A photo: `{"tap":"now"}`.
        case tap(SocketTap)
        /// The button goes down: `{"press":true}`.
        case press
        /// It is let go: `{"release":true}`; also when a client leaves that has it pressed.
        case release
        /// Whether a tap would be served: `{"readiness":true}`.
        case readiness
        /// A client that has asked for taps has gone: no line, but what happens last.
        case left
    }

    /// What it wants.
    public let wish: Wish
    /// The client's own word for this request, to be handed back in everything said about it.
    public let id: SocketID?
    /// When the line was there to be read, on CLOCK_MONOTONIC.
    public let received: Timestamp

    /// A wish that came at `received`.
    public init(_ wish: Wish, id: SocketID? = nil, received: Timestamp) {
        self.wish = wish
        self.id = id
        self.received = received
    }
}

/// A photo a client asks for. What it leaves out is as the program has it; words and numbers are the program's to judge.
public struct SocketTap: Hashable, Sendable {
    /// The moment a photo is wanted of.
    public enum Moment: Hashable, Sendable {
        /// So long after the request came, or before: `"now"`, `"-250ms"`.
        case fromNow(TimeSpan)
        /// A time on CLOCK_MONOTONIC: `{"ns":123}`.
        case at(Timestamp)
        /// The frame that the client was shown: `{"frame":"0:123"}`.
        case frame(FrameID)
    }

    /// Of which moment.
    public let moment: Moment
    /// `"quality"`: a word.
    public let quality: String?
    /// `"frames"`: how many, 1 or more.
    public let frames: Int?
    /// `"after"`: how many of them after the moment, 0 or more.
    public let after: Int?
    /// `"reference"`: a word.
    public let reference: String?

    /// A photo of `moment`.
    public init(
        _ moment: Moment, quality: String? = nil, frames: Int? = nil, after: Int? = nil, reference: String? = nil
    ) {
        self.moment = moment
        self.quality = quality
        self.frames = frames
        self.after = after
        self.reference = reference
    }

    /// The moment's time where now is `now`; nil when it is a frame's, which only the ring knows.
    public func time(now: Timestamp) -> Timestamp? {
        switch moment {
        case .fromNow(let span): now + span
        case .at(let time): time
        case .frame: nil
        }
    }
}

/// A client's word for a request: a string or a whole number.
public enum SocketID: Hashable, Sendable {
    /// `"id":"a"`
    case text(String)
    /// `"id":1`
    case number(Int64)

    /// As it is written in JSON.
    public var json: JSON {
        switch self {
        case .text(let text): .string(text)
        case .number(let number): .integer(number)
        }
    }
}
