// SPDX-License-Identifier: MIT
// Server-sent events, as a browser's EventSource would see them.

import LivecapIntents

/// An event of a `text/event-stream`.
package struct ServerSentEvent: Hashable, Sendable {
    /// The event's name; "message" if the server gave none.
    package let name: String
    /// The event's data: its lines joined by line feeds.
    package let data: String
    /// The last id that the server gave, with this event or earlier; nil if none yet.
    package let id: String?

    /// Creates an event.
    package init(name: String = "message", data: String, id: String? = nil) {
        (self.name, self.data, self.id) = (name, data, id)
    }

    /// The data as JSON; nil if it is none.
    package var json: JSON? { JSON(parsing: Array(data.utf8), depth: 64) }
}

/// The events of one connection.
package final class EventStream {
    /// The status and the header of the answer.
    package let head: HTTPHead
    /// The connection, to break it off.
    package let connection: HTTPConnection
    private let body: HTTPBody
    private var id: String?

    /// Asks a server for events.
    /// - Throws: `WireError`; `malformed` if the answer is not a stream of events.
    package convenience init(port: UInt16, _ request: HTTPRequest = HTTPRequest("GET", "/events")) throws {
        let connection = try HTTPConnection(port: port)
        try connection.send(request)
        try self.init(reading: connection)
    }

    /// Reads events from a connection on which they were asked for.
    /// - Throws: `WireError`; `malformed` if the answer is not a stream of events.
    package init(reading connection: HTTPConnection) throws {
        self.connection = connection
        head = try connection.readHead()
        guard head.status == 200, head["Content-Type"]?.hasPrefix("text/event-stream") == true else {
            throw WireError.malformed("no events: \(head.status), \(head["Content-Type"] ?? "no type")")
        }
        body = try connection.body(after: head)
    }

    /// Waits for the next event; nil at the end.
    /// - Throws: `WireError`.
    package func next() throws -> ServerSentEvent? {
        var (name, data): (String, [String]) = ("message", [])
        while let line = try body.line() {
            if line.isEmpty {
                // Without data there is no event.
                if !data.isEmpty { return ServerSentEvent(name: name, data: data.joined(separator: "\n"), id: id) }
                name = "message"
                continue
            }
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? parts[1].hasPrefix(" ") ? parts[1].dropFirst() : parts[1] : ""
            switch parts[0] {
            case "event": name = String(value)
            case "data": data.append(String(value))
            case "id": id = String(value)
            // Comments keep the connection alive, and other fields mean nothing here.
            default: break
            }
        }
        return nil
    }

    /// Waits for the next event that meets a condition, and skips the others.
    /// - Throws: `WireError`; `ended` if there is none.
    package func first(
        _ what: String, where isWanted: (ServerSentEvent) -> Bool
    ) throws -> ServerSentEvent {
        while let event = try next() { if isWanted(event) { return event } }
        throw WireError.ended(what)
    }
}
