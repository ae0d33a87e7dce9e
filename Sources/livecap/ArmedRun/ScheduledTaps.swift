// SPDX-License-Identifier: MIT
// Pictures of future moments, and the socket client that asked for each.

import LiveCapture

/// Limits how many pictures each client has scheduled, and knows which to cancel when it leaves.
struct ScheduledTaps<Client: Hashable> {
    /// The limit per client: a few seconds of every frame, and little memory even with the maximum number of clients.
    static var maxPerClient: Int { 64 }

    private var shots: [Client: Set<ShotID>] = [:]
    private var clients: [ShotID: Client] = [:]

    init() {}

    /// The number of pictures scheduled by all clients.
    var count: Int { clients.count }

    /// Whether a client may schedule one more.
    func hasRoom(for client: Client) -> Bool { (shots[client]?.count ?? 0) < Self.maxPerClient }

    /// Records that a client has scheduled a shot.
    mutating func add(_ shot: ShotID, of client: Client) {
        shots[client, default: []].insert(shot)
        clients[shot] = client
    }

    /// Removes a shot that is done or has failed; shots that were not scheduled are ignored.
    mutating func remove(_ shot: ShotID) {
        guard let client = clients.removeValue(forKey: shot) else { return }
        shots[client]?.remove(shot)
        if shots[client]?.isEmpty ?? false { shots[client] = nil }
    }

    /// Removes a client that has left. Returns its shots, in their order.
    mutating func removeAll(of client: Client) -> [ShotID] {
        let left = shots.removeValue(forKey: client) ?? []
        for shot in left { clients[shot] = nil }
        return left.sorted()
    }
}
