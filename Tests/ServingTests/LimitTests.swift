// SPDX-License-Identifier: MIT
// What clients can ask for at once: beyond that they are refused, and what they no longer wait for is given up.

import Foundation
import LiveCapture
import LivecapFrames
import LivecapIntents
import LivecapPatience
import LivecapThreads
import Testing

import class LivecapWebGear.HTTPConnection
import class LivecapWebGear.TCPConnection
import enum LivecapWebGear.WireError

@testable import LivecapHTTP
@testable import LivecapServing

@Suite(.serialized) struct LimitTests {
    /// What was answered, without a network.
    private final class Answers: Sendable {
        let responses = Guarded<[HTTPResponse]>([])

        func ask(_ scene: ServedScene, _ method: String, _ path: String, _ body: String = "") {
            var request = HTTPRequest(method, path)
            request.headers = [("host", "localhost"), scene.proof]
            request.headers[1].name = "livecap-proof"
            request.body = Array(body.utf8)
            let reply = HTTPReply(number: 0) { _, response in self.responses.withLock { $0.append(response) } }
            scene.viewfinder.answer(request, reply)
        }

        func count(_ status: Int) -> Int { responses.withLock { $0.count { $0.status == status } } }
        /// The answers that refuse, and say when to ask again.
        var refusals: Int {
            responses.withLock { $0.count { $0.status == 503 && $0.headers.contains { $0.name == "Retry-After" } } }
        }
    }

    /// The number of this process's threads that have a name.
    private func threads(named name: String) -> Int {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.count { task in
            (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)) == name + "\n"
        }
    }

    /// Asks many times at once. Returns the largest number of threads that were seen at work on it.
    private func crowd(
        _ count: Int, _ method: String, _ path: String, body: String = "", in scene: ServedScene, _ answers: Answers,
        thread: String
    ) throws -> Int {
        var most = 0
        for number in 0..<count {
            answers.ask(scene, method, path, body)
            if number % 50 == 49 { most = max(most, threads(named: thread)) }
        }
        try eventually("all answers") {
            most = max(most, threads(named: thread))
            return answers.responses.withLock { $0.count } == count
        }
        return most
    }

    @Test func listsOfMoviesAreMadeOneAtATimeAndACrowdIsRefused() async throws {
        try await withServedScene { scene in
            for number in 0..<1000 {
                try Data().write(to: URL(filePath: scene.movieFolder).appending(path: "livecap-\(number).mkv"))
            }
            let answers = Answers()
            let most = try crowd(300, "GET", "/movies", in: scene, answers, thread: "movies")
            #expect(most <= 4, "\(most) threads")
            #expect(answers.refusals > 0 && answers.refusals + answers.count(200) == 300)
        }
    }

    @Test(arguments: [("GET", "/cameras", "cameras"), ("GET", "/ring", "rings"), ("DELETE", "/movies/a.mkv", "movies")])
    func requestsThatTakeTimeShareAThread(_ method: String, _ path: String, _ thread: String) async throws {
        try await withServedScene { scene in
            let answers = Answers()
            let most = try crowd(1000, method, path, in: scene, answers, thread: thread)
            #expect(most <= 4, "\(most) threads")
            #expect(answers.refusals + answers.count(method == "GET" ? 200 : 404) == 1000)
        }
    }

    @Test func changesOfTheCameraWaitForEachOtherAndACrowdIsRefused() async throws {
        try await withServedScene { scene in
            let answers = Answers()
            let most = try crowd(
                300, "POST", "/cameras", body: #"{"id":"/dev/none"}"#, in: scene, answers, thread: "switch")
            #expect(most <= 4, "\(most) threads")
            #expect(answers.refusals + answers.count(404) == 300 && answers.count(404) > 0)
            #expect(!scene.session.hasEnded)
        }
    }

    @Test func shotsOfMomentsToComeAreFewAndNotFarAhead() async throws {
        try await withServedScene { scene in
            let (answers, soon) = (Answers(), (Timestamp.now + .seconds(1800)).nanoseconds)
            for _ in 0..<200 { answers.ask(scene, "POST", "/shots", "{\"at\":\"\(soon)\"}") }
            #expect(answers.count(202) == 64 && answers.refusals == 136)
            let far = (Timestamp.now + .seconds(3700)).nanoseconds
            answers.ask(scene, "POST", "/shots", "{\"at\":\"\(far)\"}")
            answers.ask(scene, "POST", "/shots", "{\"at\":\"\(Int64.max)\"}")
            #expect(answers.count(400) == 2 && scene.session.photoOutput.shotsInProgress == 64)
            // Shots of now are not affected.
            answers.ask(scene, "POST", "/shots", "{}")
            #expect(answers.count(202) == 65)
            scene.session.photoOutput.cancelScheduled()
            try eventually("room for another") {
                answers.ask(scene, "POST", "/shots", "{\"at\":\"\(soon)\"}")
                return answers.count(202) > 65
            }
        }
    }

    @Test func aShotOfAMomentToComeCanBeGivenUp() async throws {
        try await withServedScene { scene in
            let body = "{\"at\":\"\((Timestamp.now + .seconds(1800)).nanoseconds)\"}"
            let answers = Answers()
            answers.ask(scene, "POST", "/shots", body)
            guard case .bytes(let bytes)? = answers.responses.withLock({ $0.first?.content }),
                let shot = JSON(parsing: bytes, depth: 8)?["shot"]?.asInteger
            else { throw WireError.malformed("answer") }
            answers.ask(scene, "GET", "/shots/\(shot)")
            answers.ask(scene, "DELETE", "/shots/x")
            answers.ask(scene, "DELETE", "/shots/\(shot + 1)")
            #expect(answers.count(405) == 1 && answers.count(404) == 2)
            #expect(scene.session.photoOutput.shotsInProgress == 1)
            answers.ask(scene, "DELETE", "/shots/\(shot)")
            #expect(answers.count(204) == 1)
            try eventually("its end") { scene.session.photoOutput.shotsInProgress == 0 }
            try eventually("its place for another") {
                answers.ask(scene, "DELETE", "/shots/\(shot)")
                return answers.count(404) == 3
            }
        }
    }

    @Test func aShotOfAMomentToComeIsGivenUpWhenItsClientLeaves() async throws {
        try await withServedScene { scene in
            let body = "{\"at\":\"\((Timestamp.now + .seconds(1800)).nanoseconds)\"}"
            func ask() throws -> HTTPConnection {
                let connection = try HTTPConnection(port: scene.port)
                try connection.send(
                    "POST /shots?wait=1 HTTP/1.1\r\nHost: localhost\r\n\(scene.proof.name): \(scene.proof.value)\r\n"
                        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
                return connection
            }
            let staying = try ask()
            do {
                let leaving = try ask()
                try eventually("both shots") { scene.session.photoOutput.shotsInProgress == 2 }
                withExtendedLifetime(leaving) {}
            }
            try eventually("the end of one") { scene.session.photoOutput.shotsInProgress == 1 }
            scene.session.photoOutput.cancelScheduled()
            #expect(try staying.readAnswer().status == 503)
        }
    }

    @Test(arguments: [(1, true), (FrameChannel.maxBytes, false)])
    func theSlowestViewerIsCutOffOnceAllHoldTooMuch(_ maxBytes: Int, isCutOff: Bool) async throws {
        try await withServedScene { scene in
            let channel = FrameChannel(scene.session, .records, width: nil, maxBytes: maxBytes)
            let viewer = FrameViewer(.records) { channel.newest }
            let stream = HTTPStream { viewer.supply($0) }
            channel.add(viewer, stream)
            try channel.start()
            defer { channel.stop() }
            var bytes = [UInt8](repeating: 0, count: 40)
            func take() -> HTTPStream.Supply { bytes.withUnsafeMutableBytes { viewer.supply($0) } }
            // The head of a frame and a little of it: the frame is kept for the rest.
            try eventually("a frame") { take() == .bytes(40) }
            let held = viewer.frameTime
            if isCutOff {
                try eventually("the end") { viewer.frameTime == nil }
                #expect(take() == .end)
            } else {
                let first = channel.newest?.frame.id.counter ?? 0
                try eventually("more frames") { (channel.newest?.frame.id.counter ?? 0) > first + 2 }
                #expect(viewer.frameTime == held && take() == .bytes(40))
            }
        }
    }

    @Test func answersThatNobodyTakesLeaveNoRoomForOthers() throws {
        var limits = HTTPLimits()
        limits.unsentBytes = 1 << 20
        let address = try #require(HTTPAddress("127.0.0.1:0"))
        let socket = try address.listen()
        let port = try #require(HTTPAddress(of: socket)?.port)
        // More than the system takes for a client that reads nothing.
        let sizes = ["/large": 24 << 20, "/medium": 100_000, "/small": 1000]
        let server = try HTTPServer(at: socket, limits: limits) { request, reply in
            reply.send(HTTPResponse(type: "text/plain", .bytes([UInt8](repeating: 7, count: sizes[request.path] ?? 0))))
        }
        defer { server.close() }
        func ask(_ path: String) throws -> HTTPConnection {
            let connection = try HTTPConnection(port: port)
            try connection.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return connection
        }
        let slow = try ask("/large")
        let head = try slow.readHead()
        #expect(head.status == 200)
        let refusal = try ask("/medium").readAnswer()
        #expect(refusal.status == 503 && refusal["Retry-After"] == "1")
        #expect(try ask("/small").readAnswer().body.count == 1000)
        let body = try slow.body(after: head)
        var count = 0
        while let piece = try body.piece() { count += piece.count }
        #expect(count == sizes["/large"])
        try eventually("an answer") { try ask("/medium").readAnswer().status == 200 }
    }
}
