// SPDX-License-Identifier: MIT
// Pictures of moments to come, and which client of the socket asked for each.

import LiveCapture

/// Bounds how many pictures each client has scheduled, and knows which go when it leaves.
struct ScheduledTaps<Client: Hashable> {
    /// How many a client may have: a few seconds of every frame, and little memory with as many clients as there can be.
    static var mostPerClient: Int { 64 }

    private var shots: [Client: Set<ShotID>] = [:]
    private var clients: [ShotID: Client] = [:]

    init() {}

    /// How many there are of all clients.
    var count: Int { clients.count }

    /// Whether a client may schedule one more.
    func hasRoom(for client: Client) -> Bool { (shots[client]?.count ?? 0) < Self.mostPerClient }

    /// A client has scheduled a shot.
    mutating func add(_ shot: ShotID, of client: Client) {
        shots[client, default: []].insert(shot)
        clients[shot] = client
    }

    /// A shot is done or has failed; one that nobody scheduled is no matter.
    mutating func remove(_ shot: ShotID) {
        guard let client = clients.removeValue(forKey: shot) else { return }
        shots[client]?.remove(shot)
        if shots[client]?.isEmpty ?? false { shots[client] = nil }
    }

    /// A client has left: the shots that nobody waits for any more, in their order.
    mutating func removeAll(of client: Client) -> [ShotID] {
        let left = shots.removeValue(forKey: client) ?? []
        for shot in left { clients[shot] = nil }
        return left.sorted()
    }
}
