// SPDX-License-Identifier: MIT
// Which number the scene has drawn into the frame of an id.

import LivecapFrames
import LivecapPatience
import LivecapWebGear
import Testing

/// The numbers of a server's frames, also of those that have left its ring.
struct FrameNumbers {
    private let server: any WebServer
    private let schedule: SceneSchedule
    private var times: [String: Timestamp] = [:]

    /// Reads one frame of the server, which says when the scene shows which number.
    init(_ server: ServedProgram) throws { try self.init(server, server.settings.rate) }

    /// The same of a server whose scene has this rate.
    init(_ server: any WebServer, _ rate: FrameRate) throws {
        self.server = server
        // The first frame comes a little after the link.
        try eventually("the first frame") { try server.get("/snapshot").status == 200 }
        let answer = try server.get("/snapshot")
        let time = try #require(answer["Livecap-Time-Ns"].flatMap { Int64($0) }, "\(answer.status)")
        let number = try #require(try StillMark.read(answer.body))
        schedule = SceneSchedule(rate, number: number, at: Timestamp(nanoseconds: time))
        try learn()
    }

    /// Learns the frames that the ring has now. Call it more often than the ring turns round.
    mutating func learn() throws {
        for frame in try server.json("/ring")["frames"]?.elements ?? [] {
            guard let id = frame["id"]?.string, let time = frame["timeNs"]?.string.flatMap({ Int64($0) }) else {
                continue
            }
            times[id] = Timestamp(nanoseconds: time)
        }
    }

    /// The number of a frame; nil if the ring never had it.
    subscript(id: String) -> UInt32? { times[id].flatMap { schedule.number(at: $0) } }
}
