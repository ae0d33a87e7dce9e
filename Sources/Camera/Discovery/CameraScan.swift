// SPDX-License-Identifier: MIT
// Keeps account of the nodes and their cameras, from reports and from looking. It owns no thread and no clock.

import Glibc
import LivecapFrames

/// A connected camera.
struct ConnectedCamera: Hashable, Sendable {
    var record: CameraRecord
    /// When it came: 0 for those that were there from the beginning, then counted. A camera that was unplugged and
    /// plugged in again has another.
    let arrival: Int
}

/// The nodes known to the thread that follows them.
struct CameraScan {
    private struct Node {
        /// Which node of that name it is: each that the kernel makes has a new number.
        let inode: ino_t
        let arrival: Int
        /// When it was first seen.
        let since: Timestamp
        var sighting: CameraDirectory.Sighting?

        /// Whether permission to open it is missing.
        var isForbidden: Bool {
            if case .permissionDenied = sighting?.answers.trouble { true } else { false }
        }
    }

    /// How long udev may take to give permission to open a new node.
    static let permissionPatience = Duration.seconds(2)
    private static let soon = Duration.milliseconds(50)
    private static let later = Duration.milliseconds(500)

    private let directory: CameraDirectory
    private var nodes: [String: Node] = [:]
    private var arrivals = 0

    init(_ directory: CameraDirectory) { self.directory = directory }

    /// Looks at all nodes. Cameras that are known are not asked again.
    mutating func look(at now: Timestamp) {
        let names = directory.nodes()
        for name in nodes.keys where !names.contains(name) { nodes[name] = nil }
        for name in names {
            guard let inode = inode(of: name) else {
                nodes[name] = nil
                continue
            }
            if nodes[name]?.inode != inode { add(name, inode, now) }
        }
        // Those found by the first look have always been there.
        if arrivals == 0 { arrivals = 1 }
    }

    /// Takes note of a report.
    mutating func note(_ event: NodeEvent, at now: Timestamp) {
        switch event {
        case .lost: look(at: now)
        case .added(let name), .changed(let name):
            guard let inode = inode(of: name) else { return nodes[name] = nil }
            if nodes[name]?.inode == inode {
                nodes[name]?.sighting = directory.sighting(at: name, waits: false)
            } else {
                add(name, inode, now)
            }
        // The name may be another camera's by now. Its report follows.
        case .removed(let name): nodes[name] = nil
        }
    }

    /// Tries again to open the nodes without permission.
    mutating func tryForbidden() {
        for (name, node) in nodes where node.isForbidden {
            nodes[name]?.sighting = directory.sighting(at: name, waits: false)
        }
    }

    /// When to try again to open nodes without permission; nil if there are none, or if a watch of their
    /// folder reports changes of permission.
    func patience(at now: Timestamp, isWatched: Bool = false) -> Duration? {
        let forbidden = nodes.values.filter(\.isForbidden)
        guard !forbidden.isEmpty else { return nil }
        guard !forbidden.contains(where: { isAwaited($0, now) }) else { return Self.soon }
        return isWatched ? nil : Self.later
    }

    /// The connected cameras, ordered by node. A new one without permission is not shown while udev may still give it.
    func cameras(at now: Timestamp) -> [ConnectedCamera] {
        let shown = nodes.values.filter { $0.sighting != nil && !isAwaited($0, now) }
        let ordered = shown.sorted { number($0) < number($1) }
        let records = directory.records(of: ordered.map { $0.sighting! })
        return zip(records, ordered).map { ConnectedCamera(record: $0, arrival: $1.arrival) }
    }

    private mutating func add(_ name: String, _ inode: ino_t, _ now: Timestamp) {
        let sighting = directory.sighting(at: name, waits: false)
        nodes[name] = Node(inode: inode, arrival: arrivals, since: now, sighting: sighting)
        if arrivals > 0 { arrivals += 1 }
    }

    private func isAwaited(_ node: Node, _ now: Timestamp) -> Bool {
        node.isForbidden && node.arrival > 0 && now - node.since < Self.permissionPatience
    }

    private func number(_ node: Node) -> Int { node.sighting.flatMap { Int($0.node.name.dropFirst(5)) } ?? 0 }

    private func inode(of name: String) -> ino_t? {
        var status = stat()
        return stat("\(directory.devices)/\(name)", &status) == 0 ? status.st_ino : nil
    }
}
