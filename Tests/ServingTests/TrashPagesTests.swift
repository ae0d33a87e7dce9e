// SPDX-License-Identifier: MIT
// Photos that pages delete go to the trash and can be had back, and several are saved as one file.

import Foundation
import Glibc
import LivecapIntents
import LivecapPatience
import LivecapPhotoStorage
import LivecapWebGear
import Testing

import class LivecapHTTP.HTTPFile

@testable import LivecapServing

@Suite(.serialized, .timeLimit(.minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60)))
struct TrashPagesTests {
    private static func ask(_ scene: ServedScene, _ method: String, _ path: String, _ body: String = "{}") throws
        -> HTTPAnswer
    {
        try HTTPConnection.exchange(
            port: scene.port, HTTPRequest(method, path, fields: [scene.proof], body: Array(body.utf8)))
    }

    /// Takes photos of single frames. Returns their numbers.
    private static func photos(_ count: Int, _ scene: ServedScene) throws -> [Int64] {
        try (0..<count).map { _ in
            let photo = try ask(scene, "POST", "/shots?wait=1", #"{"quality":"single"}"#)
            return try #require(photo.json?["id"]?.integer)
        }
    }

    private static func listed(_ scene: ServedScene) throws -> [Int64] {
        try HTTPConnection.get(port: scene.port, "/photos").json?["photos"]?.elements
            .compactMap { $0["id"]?.integer } ?? []
    }

    @Test func aDeletedPhotoCanBeRestored() async throws {
        try await withServedScene { scene in
            let ids = try Self.photos(2, scene)
            let events = try EventStream(port: scene.port)
            _ = try events.next()
            #expect(try Self.ask(scene, "DELETE", "/photos/\(ids[0])").status == 204)
            #expect(try Self.ask(scene, "DELETE", "/photos/\(ids[0])").status == 404)
            for part in ["", "/image", "/thumbnail", "/final"] {
                #expect(try HTTPConnection.get(port: scene.port, "/photos/\(ids[0])\(part)").status == 404, "\(part)")
            }
            #expect(try Self.listed(scene) == [ids[1]])
            let restored = try Self.ask(scene, "POST", "/photos/\(ids[0])/restore")
            #expect(restored.status == 200 && restored.json?["id"]?.integer == ids[0])
            #expect(try Self.listed(scene).sorted() == ids)
            #expect(try HTTPConnection.get(port: scene.port, "/photos/\(ids[0])/image").status == 200)
            #expect(try Self.ask(scene, "POST", "/photos/999/restore").status == 404)
            // Other pages hear of both.
            var news: [Bool] = []
            while news.count < 2, let event = try events.next() {
                guard event.name == "photo", event.json?["id"]?.integer == ids[0] else { continue }
                news.append(event.json?["removed"] == nil)
            }
            #expect(news == [false, true])
        }
    }

    @Test func severalPhotosAreSavedAsOneFile() async throws {
        try await withServedScene { scene in
            let ids = try Self.photos(3, scene)
            #expect(try Self.ask(scene, "DELETE", "/photos/\(ids[1])").status == 204)
            let answer = try HTTPConnection.get(port: scene.port, "/archive?photos=\(ids[0])-\(ids[2])")
            #expect(answer.status == 200 && answer["Content-Type"] == "application/zip")
            #expect(answer["Content-Disposition"]?.contains("photos.zip") == true)
            let members = try Self.members(answer.body)
            let files = try [ids[0], ids[2]].map {
                try HTTPConnection.get(port: scene.port, "/photos/\($0)/final").body
            }
            #expect(members.map(\.bytes) == files)
            #expect(Set(members.map(\.name)).count == 2 && members.allSatisfy { $0.name.hasSuffix(".jpg") })
            #expect(members.allSatisfy { $0.checksum == Self.checksum($0.bytes) })
            for list in ["", "x", "1-", "3-1", "0", "1-5000"] {
                #expect(try HTTPConnection.get(port: scene.port, "/archive?photos=\(list)").status == 400, "\(list)")
            }
        }
    }

    @Test func aPhotoThatCannotBeReadIsNamedInTheFile() async throws {
        try await withServedScene { scene in
            let ids = try Self.photos(2, scene)
            let lost = try scene.library.photo(PhotoID(number: ids[0]))
            try FileManager.default.removeItem(atPath: lost.path)
            let answer = try HTTPConnection.get(port: scene.port, "/archive?photos=\(ids[0])-\(ids[1])")
            #expect(answer.status == 200)
            let members = try Self.members(answer.body)
            try #require(members.count == 2)
            #expect(try members[0].bytes == HTTPConnection.get(port: scene.port, "/photos/\(ids[1])/final").body)
            #expect(members[1].name == "Left out.txt" && members[1].checksum == Self.checksum(members[1].bytes))
            #expect(String(decoding: members[1].bytes, as: UTF8.self).contains("photo \(ids[0]): "))
            // Nothing is left of an archive on the disk.
            let names = try FileManager.default.contentsOfDirectory(atPath: scene.library.path)
            #expect(!names.contains { $0.hasPrefix(".livecap-") })
            // An archive without any photo is none.
            try eventually("the end of the first") {
                try HTTPConnection.get(port: scene.port, "/archive?photos=\(ids[0])").status == 500
            }
        }
    }

    @Test func oneArchiveAtATimeIsOnTheDisk() throws {
        let turns = PhotoArchive.Turn()
        var turn = turns.take()
        #expect(turn != nil && turns.take() == nil)
        let path = FileManager.default.temporaryDirectory.appending(path: "livecap-turn-\(UUID().uuidString)").path
        var file = HTTPFile(taking: open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600), keeping: turn)
        unlink(path)
        turn = nil
        #expect(file != nil && turns.take() == nil)
        file = nil
        #expect(turns.take() != nil)
    }

    @Test func anArchiveIsNeverSentInParts() async throws {
        try await withServedScene { scene in
            let ids = try Self.photos(1, scene)
            let request = HTTPRequest("GET", "/archive?photos=\(ids[0])", fields: [("Range", "bytes=0-9")])
            let answer = try HTTPConnection.exchange(port: scene.port, request)
            #expect(answer.status == 200 && answer.body.count > 10 && answer["Accept-Ranges"] == nil)
        }
    }

    private struct Member {
        let name: String
        let checksum: UInt32
        let bytes: [UInt8]
    }

    /// The members of an archive, by the list at its end.
    private static func members(_ archive: [UInt8]) throws -> [Member] {
        func number(_ place: Int, _ size: Int) -> Int {
            (0..<size).reduce(0) { $0 | Int(archive[place + $1]) << (8 * $1) }
        }
        let end = archive.count - 22
        try #require(end > 0 && number(end, 4) == 0x0605_4B50)
        var place = number(end + 16, 4)
        var members: [Member] = []
        for _ in 0..<number(end + 10, 2) {
            try #require(number(place, 4) == 0x0201_4B50)
            let size = number(place + 20, 4), length = number(place + 28, 2), head = number(place + 42, 4)
            try #require(number(head, 4) == 0x0403_4B50 && number(head + 14, 4) == number(place + 16, 4))
            let name = String(decoding: archive[place + 46..<place + 46 + length], as: UTF8.self)
            let start = head + 30 + number(head + 26, 2)
            members.append(
                Member(
                    name: name, checksum: UInt32(number(place + 16, 4)), bytes: Array(archive[start..<start + size])))
            place += 46 + length
        }
        return members
    }

    /// The checksum of archives, bit by bit.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var sum = UInt32.max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return ~sum
    }
}
