// SPDX-License-Identifier: MIT
// Viewers of every kind: none of them costs the camera a frame, or another viewer its own.

import Glibc
import LiveCapture
import LivecapFrames
import LivecapHTTP
import LivecapPatience
import LivecapWebGear
import Testing

@testable import LivecapServing

@Suite(.serialized) struct ViewerTests {
    @Test func aViewerGetsTheFramesInOrder() async throws {
        try await withServedScene { scene in
            let records = try FrameRecords(port: scene.port)
            var last: UInt64?
            for _ in 0..<30 {
                let record = try #require(try records.next())
                guard !record.isHeartbeat else { continue }
                #expect(record.size == FrameSize(width: 320, height: 240) && record.jpeg.starts(with: [0xFF, 0xD8]))
                if let last { #expect(record.counter > last) }
                last = record.counter
            }
        }
    }

    @Test func theCamerasJPEGIsPassedOnUntouched() async throws {
        try await withServedScene { scene in
            let records = try FrameRecords(port: scene.port)
            let record = try records.nextFrame()
            let id = try #require(FrameID(record.id))
            guard let lease = scene.session.ring.lease(id: id) else { throw WireError.malformed("\(id) is gone") }
            #expect(lease.withBytes { $0.withUnsafeBytes { Array($0) } } == record.jpeg)
            let snapshot = try HTTPConnection.get(port: scene.port, "/snapshot?frame=\(record.id)")
            #expect(snapshot.body == record.jpeg && snapshot["Livecap-Frame"] == record.id)
        }
    }

    /// The camera's own JPEG, and pictures made of it, whose memory is a pool's.
    @Test(arguments: ["/frames", "/frames?width=320"])
    func viewersThatTakeNothingDelayNobody(_ path: String) async throws {
        try await withServedScene(size: FrameSize(width: 640, height: 480)) { scene in
            let crowd = try ConnectionCrowd(100, port: scene.port, receiveBuffer: 4096)
            for index in crowd.members.indices { crowd.members[index].isReading = false }
            crowd.send(Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
            try crowd.run(until: "a hundred viewers") { _ in scene.viewfinder.viewerCount == 100 }
            let records = try FrameRecords(port: scene.port, HTTPRequest("GET", path))
            var seen = 0
            while seen < 20 {
                let record = try #require(try records.next())
                guard !record.isHeartbeat else { continue }
                seen += 1
            }
            // What a viewer gets after it has slept is what is seen now, apart from what was on its way.
            for index in crowd.members.indices { crowd.members[index].isReading = true }
            let before = crowd.members.map(\.receivedCount)
            try crowd.run(until: "all go on") { crowd in
                zip(crowd.members, before).allSatisfy { $0.receivedCount > $1 + 100_000 }
            }
        }
    }

    @Test func whatASlowViewerGetsIsNew() async throws {
        try await withServedScene { scene in
            let records = try FrameRecords(port: scene.port)
            _ = try #require(try records.next())
            // More than anything between server and viewer could hold, with 10 kB or more a frame.
            let first = scene.session.ring.nextCounter
            try eventually("ninety frames") { scene.session.ring.nextCounter >= first + 90 }
            let newest = scene.session.ring.nextCounter
            var counters: [UInt64] = []
            while counters.last ?? 0 < newest {
                let record = try #require(try records.next())
                if !record.isHeartbeat { counters.append(record.counter) }
            }
            // Some were on their way, but far fewer than those that came meanwhile.
            let late = counters.count { $0 + 5 < newest }
            #expect(late < 70, "\(late) of \(newest)")
            #expect(zip(counters, counters.dropFirst()).allSatisfy { $0 < $1 })
        }
    }

    @Test func picturesAreAtLeastAsWideAsAskedFor() async throws {
        let whole = FrameSize(width: 640, height: 480)
        try await withServedScene(size: whole) { scene in
            let small = FrameSize(width: 320, height: 240)
            for (asked, size) in [("160", small), ("320", small), ("321", whole), ("100000", whole)] {
                let records = try FrameRecords(port: scene.port, HTTPRequest("GET", "/frames?width=\(asked)"))
                let record = try records.nextFrame()
                #expect(record.size == size)
            }
        }
    }

    @Test func viewersThatLeaveAreForgotten() async throws {
        try await withServedScene { scene in
            var viewers = try (0..<5).map { _ in try FrameRecords(port: scene.port) }
            for viewer in viewers { _ = try viewer.next() }
            #expect(scene.viewfinder.viewerCount == 5)
            viewers = []
            try eventually("nobody views") { scene.viewfinder.viewerCount == 0 }
        }
    }

    @Test func aShotIsOfTheFrameThatIsNamed() async throws {
        try await withServedScene { scene in
            let events = try EventStream(port: scene.port)
            let records = try FrameRecords(port: scene.port)
            let record = try records.nextFrame()
            try eventually("later frames") { scene.session.ring.nextCounter > record.counter + 10 }
            let answer = try HTTPConnection.exchange(
                port: scene.port,
                HTTPRequest(
                    "POST", "/shots", fields: [scene.proof],
                    body: Array("{\"frame\":\"\(record.id)\",\"tag\":\"mine\"}".utf8)))
            #expect(answer.status == 202 && answer.json?["tag"]?.asString == "mine")
            while let event = try events.next() {
                guard event.name == "shot", event.json?["state"]?.asString == "photo" else { continue }
                #expect(event.json?["tag"]?.asString == "mine")
                let photo = try #require(event.json?["photo"])
                #expect(photo["frame"]?.asString == record.id)
                let id = try #require(photo["id"]?.asInteger)
                let image = try HTTPConnection.get(port: scene.port, "/photos/\(id)/image")
                #expect(image.status == 200 && image.body.starts(with: [0xFF, 0xD8]))
                // The frame alone is what the camera sent, with a photo's metadata.
                let frame = try HTTPConnection.get(port: scene.port, "/photos/\(id)/frame")
                #expect(frame.status == 200 && frame.body.suffix(1000) == record.jpeg.suffix(1000))
                break
            }
        }
    }

    @Test func pagesHearOfPhotosThatOthersTake() async throws {
        try await withServedScene { scene in
            let events = try EventStream(port: scene.port)
            // The stream is there once it says how things are.
            _ = try events.next()
            let photo = try await scene.session.photoOutput.photo(PhotoSettings(quality: .speed))
            var states: [String] = []
            // On a busy machine it is a proxy at first.
            let ends = ["photo", "proxy"]
            while !ends.contains(states.last ?? ""), let event = try events.next() {
                guard event.name == "shot", let state = event.json?["state"]?.asString else { continue }
                states.append(state)
                guard ends.contains(state) else { continue }
                #expect(event.json?["tag"]?.asString == nil)
                #expect(event.json?["photo"]?["id"]?.asInteger == photo.libraryID?.number)
            }
            #expect(states.dropLast() == ["begun", "captured"] && ends.contains(states.last ?? ""))
        }
    }

    @Test func aFrameThatIsGoneIsSaidToBe() async throws {
        try await withServedScene { scene in
            #expect(try HTTPConnection.get(port: scene.port, "/snapshot?frame=7:1").status == 404)
            let answer = try HTTPConnection.exchange(
                port: scene.port,
                HTTPRequest("POST", "/shots?wait=1", fields: [scene.proof], body: Array("{\"frame\":\"7:1\"}".utf8)))
            #expect(answer.status == 410 && answer.json?["hint"] != nil)
        }
    }

    @Test func theCameraSleepsWithoutViewersAndWakesForOne() async throws {
        try await withServedScene(idleOff: .milliseconds(300)) { scene in
            try eventually("the camera is off") {
                scene.session.photoOutput.readiness.current.state == .notReadyCameraOff
            }
            let records = try FrameRecords(port: scene.port)
            _ = try records.nextFrame()
            #expect(scene.session.photoOutput.readiness.current.state != .notReadyCameraOff)
        }
    }
}
