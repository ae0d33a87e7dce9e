// SPDX-License-Identifier: MIT
// The requests that a client of the socket can make.

import LivecapFrames
import LivecapIntents

/// One line from a client: what it requests, and when it arrived.
public struct SocketRequest: Hashable, Sendable {
    /// What a client requests.
    public enum Wish: Hashable, Sendable {
        /// A photo: `{"tap":{"agoMs":250,"quality":"speed"}}`.
        case tap(TapIntent)
        /// A press of the button: `{"press":true}`.
        case press
        /// A release of the button: `{"release":true}`. Also generated when a client leaves with the button pressed.
        case release
        /// Starts or ends a movie, pauses it, or marks a chapter: `{"movie":{"do":"start"}}`.
        case movie(MovieIntent)
        /// Goes on with another camera or format: `{"camera":{"id":"..."}}`.
        case camera(CameraIntent)
        /// Sets a control of the camera: `{"control":{"key":"brightness","value":12}}`.
        case control(ControlIntent)
        /// Draws other effects, or asks which are drawn: `{"effects":{"set":"portrait=0.6,light"}}`, `{"effects":{}}`.
        case effects(EffectsIntent)
        /// Draws a reaction: `{"reaction":{"perform":"hearts"}}`.
        case reaction(ReactionIntent)
        /// Asks for what is known of the people in frames, or for no more of it: `{"facts":{"follow":["faces"]}}`,
        /// `{"facts":{"follow":[]}}`.
        case facts(FactsIntent)
        /// Asks whether a tap would be served: `{"readiness":true}`.
        case readiness
        /// Not sent by the client: generated as the last request of a client that has asked for taps or facts and
        /// left.
        case left
    }

    /// The request itself.
    public let wish: Wish
    /// The client's own id for this request, included in every reply to it.
    public let id: SocketID?
    /// When the line could be read, on CLOCK_MONOTONIC.
    public let received: Timestamp

    /// Creates a request that arrived at `received`.
    public init(_ wish: Wish, id: SocketID? = nil, received: Timestamp) {
        self.wish = wish
        self.id = id
        self.received = received
    }
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
