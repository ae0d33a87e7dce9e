// SPDX-License-Identifier: MIT
// What tests ask a server of the page for, past its browsers.

import LivecapIntents
import LivecapWebGear
import Testing

/// A server of the page on this machine.
protocol WebServer {
    /// The port it listens on.
    var port: UInt16 { get }
}

extension WebServer {
    /// The address of its page.
    var url: String { "http://127.0.0.1:\(port)/" }

    /// Gets a target.
    func get(_ target: String) throws -> HTTPAnswer { try HTTPConnection.get(port: port, target) }

    /// Gets a target that must be there, as JSON.
    func json(_ target: String) throws -> JSON {
        let answer = try get(target)
        return try #require(answer.status == 200 ? answer.json : nil, "\(target): \(answer.status) \(answer.text)")
    }

    /// Gets a JPEG that must be there, and reads which of the scene's frames it shows.
    func mark(_ target: String) throws -> UInt32? {
        let answer = try get(target)
        try #require(answer.status == 200, "\(target): \(answer.status) \(answer.text)")
        return try StillMark.read(answer.body)
    }
}

/// A server that is known by its port alone, for threads of their own.
struct ServerAtPort: WebServer, Sendable {
    let port: UInt16
}
