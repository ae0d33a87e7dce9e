// SPDX-License-Identifier: MIT
// The requests that a client of the socket can make.

import LivecapFrames
import LivecapJSONText

/// One line from a client: what it requests, and when it arrived.
public struct SocketRequest: Hashable, Sendable {
    /// What a client requests.
    public enum Wish: Hashable, Sendable {
        /// A photo: `{"tap":"now"}`.
        case tap(SocketTap)
        /// A press of the button: `{"press":true}`.
        case press
        /// A release of the button: `{"release":true}`. Also generated when a client leaves with the button pressed.
        case release
        /// Starts or ends a movie, pauses it, or marks a chapter: `{"movie":"start"}`.
        case movie(SocketMovie)
        /// Asks whether a tap would be served: `{"readiness":true}`.
        case readiness
        /// Not sent by the client: generated as the last request of a client that has asked for taps and left.
        case left
    }

    /// The request itself.
    public let wish: Wish
    /// The name of the chapter that a movie is to have, if it has one.
    public let name: String?
    /// The client's own id for this request, included in every reply to it.
    public let id: SocketID?
    /// When the line could be read, on CLOCK_MONOTONIC.
    public let received: Timestamp

    /// Creates a request that arrived at `received`.
    public init(_ wish: Wish, name: String? = nil, id: SocketID? = nil, received: Timestamp) {
        self.wish = wish
        self.name = name
        self.id = id
        self.received = received
    }
}

/// A photo that a client requests. Omitted fields have the program's defaults, and the program validates numbers.
public struct SocketTap: Hashable, Sendable {
    /// The requested moment of a photo.
    public enum Moment: Hashable, Sendable {
        /// This long after the request arrived, or before if negative: `"now"`, `"-250ms"`.
        case fromNow(Duration)
        /// A time on CLOCK_MONOTONIC: `{"ns":123}`.
        case at(Timestamp)
        /// The frame that the client was showing: `{"frame":"0:123"}`.
        case frame(FrameID)
    }

    /// The requested moment.
    public let moment: Moment
    /// `"quality"`
    public let quality: PhotoQuality?
    /// `"frames"`: the number of frames, at least 1.
    public let frames: Int?
    /// `"after"`: how many of the frames come after the moment, at least 0.
    public let laterFrames: Int?
    /// `"reference"`
    public let reference: ReferencePolicy?

    /// Creates a request for a photo of `moment`.
    public init(
        _ moment: Moment, quality: PhotoQuality? = nil, frames: Int? = nil, laterFrames: Int? = nil,
        reference: ReferencePolicy? = nil
    ) {
        self.moment = moment
        self.quality = quality
        self.frames = frames
        self.laterFrames = laterFrames
        self.reference = reference
    }
}

/// What a client wants of movies.
public enum SocketMovie: String, Hashable, Sendable, CaseIterable {
    /// One that begins now.
    case start
    /// The end of the one that is being made.
    case stop
    /// Its end if there is one, else another.
    case toggle
    /// A pause of the one that is being made.
    case pause
    /// The end of the pause.
    case resume
    /// A chapter of the one that is being made: `{"movie":"mark","name":"Goal"}`.
    case mark
}

/// A client's id for a request: a string or an integer.
public enum SocketID: Hashable, Sendable {
    /// `"id":"a"`
    case text(String)
    /// `"id":1`
    case number(Int64)

    /// The id as JSON.
    package var json: JSON {
        switch self {
        case .text(let text): .string(text)
        case .number(let number): .integer(number)
        }
    }
}
