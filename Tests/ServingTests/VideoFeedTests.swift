// SPDX-License-Identifier: MIT
// Viewers of H.264 at a served scene.

import Glibc
import LiveCapture
import LivecapFrames
import LivecapMovies
import LivecapPatience
import LivecapWebGear
import Testing

@testable import LivecapServing

@Suite(.serialized, .timeLimit(.minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60)))
struct VideoFeedTests {
    private static let video = HTTPRequest("GET", "/frames?codec=h264")

    @Test func aViewerGetsEachFrameOnceInOrder() async throws {
        try await withServedScene { scene in
            let records = try FrameRecords(port: scene.port, Self.video)
            var last: UInt64?
            for index in 0..<30 {
                let record = try records.nextFrame()
                #expect(record.size == FrameSize(width: 320, height: 240))
                #expect(index > 0 || record.kind == .key)
                let head = H264Head(of: record.jpeg.span.bytes)
                #expect(head.picture == (record.kind == .key ? .independent : .dependent))
                if let last { #expect(record.counter > last) }
                last = record.counter
            }
            // The frame is one that can be taken.
            let newest = try records.nextFrame()
            let id = try #require(FrameID(newest.id))
            #expect(scene.session.ring.lease(id: id)?.metadata.time == newest.time)
        }
    }

    @Test func whoComesLaterGetsAKeyOfTheSameStream() async throws {
        try await withServedScene { scene in
            let first = try FrameRecords(port: scene.port, Self.video)
            for _ in 0..<5 { _ = try first.nextFrame() }
            let second = try FrameRecords(port: scene.port, Self.video)
            let begin = try second.nextFrame()
            #expect(begin.kind == .key)
            // One encoder makes the stream of both: the first gets that key, too, with the same bytes.
            var record = try first.nextFrame()
            while record.counter < begin.counter { record = try first.nextFrame() }
            #expect(record.kind == .key && record.jpeg == begin.jpeg)
        }
    }

    @Test func eachWidthIsAStream() async throws {
        try await withServedScene(size: FrameSize(width: 640, height: 480)) { scene in
            for (width, size) in [(320, FrameSize(width: 320, height: 240)), (641, FrameSize(width: 640, height: 480))]
            {
                let records = try FrameRecords(
                    port: scene.port, HTTPRequest("GET", "/frames?codec=h264&width=\(width)"))
                let record = try records.nextFrame()
                #expect(record.size == size)
            }
        }
    }

    @Test func theStatusSaysWhatIsInUse() async throws {
        try await withServedScene { scene in
            func video() throws -> String {
                try HTTPConnection.get(port: scene.port, "/status").json?["video"]?.text ?? ""
            }
            #expect(try video() == #"{"h264":"untried","viewers":{"jpeg":0,"h264":0}}"#)
            var records: [FrameRecords] = [try FrameRecords(port: scene.port, Self.video)]
            _ = try records[0].nextFrame()
            let ready = try video()
            #expect(
                ready.hasPrefix(#"{"h264":"ready","encoder":"#) && ready.hasSuffix(#""viewers":{"jpeg":0,"h264":1}}"#))
            records = []
            try eventually("nobody views") { scene.viewfinder.viewerCount == 0 }
        }
    }

    @Test func whatCannotBeHadIsRefused() async throws {
        try await withServedScene { scene in
            for query in ["codec=av1", "fps=0", "fps=x"] {
                let answer = try HTTPConnection.get(port: scene.port, "/frames?\(query)")
                #expect(answer.status == 400 && answer.json?["hint"] != nil)
            }
        }
    }

    /// Of a viewer that takes nothing, others notice nothing.
    @Test func viewersThatTakeNothingDelayNobody() async throws {
        try await withServedScene { scene in
            let crowd = try ConnectionCrowd(20, port: scene.port, receiveBuffer: 4096)
            for index in crowd.members.indices { crowd.members[index].isReading = false }
            crowd.send(Array("GET /frames?codec=h264 HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
            try crowd.run(until: "twenty viewers") { _ in scene.viewfinder.viewerCount == 20 }
            let records = try FrameRecords(port: scene.port, Self.video)
            for _ in 0..<40 { _ = try records.nextFrame() }
            #expect(scene.viewfinder.viewerCount == 21)
        }
    }

    @Test func fewerFramesCanBeAskedFor() async throws {
        try await withServedScene { scene in
            let records = try FrameRecords(port: scene.port, HTTPRequest("GET", "/frames?fps=10"))
            var last = try records.nextFrame().time
            for _ in 0..<8 {
                let time = try records.nextFrame().time
                #expect(time - last >= .milliseconds(90))
                last = time
            }
        }
    }
}
