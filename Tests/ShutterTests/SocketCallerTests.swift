// SPDX-License-Identifier: MIT
// A program that asks the socket for something: what it is answered, and what it is told when nobody answers.

import Dispatch
import Glibc
import LivecapCSystem
import LivecapFiles
import LivecapFrames
import LivecapThreads
import Testing

@testable import Shutter

extension Sources {
    @Suite struct SocketCallerTests {
        private let folder: Folder
        private let path: String

        init() throws {
            folder = try Folder()
            path = "\(folder.path)/s"
        }

        private func refusal(_ body: () throws(ShutterError) -> Void) -> ShutterError? {
            do throws(ShutterError) {
                try body()
                return nil
            } catch { return error }
        }

        @Test func eachRequestHasItsAnswer() throws {
            let shutter = try SocketShutter(path: path) { request, reply in
                guard case .effects(let intent) = request.wish else { return }
                reply.send("{\"event\":\"effects\",\"set\":\"\(intent.set ?? "?")\"}")
            }
            let caller = try SocketCaller(path: path)
            for list in ["none", "light", "portrait=0.1"] {
                let answer = try caller.ask(.object([("effects", EffectsIntent(list).json)]))
                #expect(answer["set"]?.asString == list)
            }
            #expect(try caller.ask(.object([("effects", .object([]))]))["set"]?.asString == "?")
            shutter.close()
        }

        @Test func aRefusalIsAnAnswer() throws {
            let shutter = try SocketShutter(path: path) { _, _ in }
            let answer = try SocketCaller(path: path).ask(.object([("effects", .integer(1))]))
            #expect(answer["event"]?.asString == "failed" && answer["code"]?.asString == "bad-request")
            shutter.close()
        }

        @Test func aLongAnswerComesWhole() throws {
            let text = String(repeating: "x", count: 100_000)
            let shutter = try SocketShutter(path: path) { _, reply in reply.send("{\"a\":\"\(text)\"}") }
            #expect(try SocketCaller(path: path).ask(.object([("press", true)]))["a"]?.asString == text)
            shutter.close()
        }

        @Test func withoutASocketNobodyListens() throws {
            #expect(
                refusal { () throws(ShutterError) in _ = try SocketCaller(path: path) } == .nobodyListens(path: path))
            let dead = lc_unix_socket()
            try #require(lc_unix_bind(dead, path) == 0)
            close(dead)
            #expect(
                refusal { () throws(ShutterError) in _ = try SocketCaller(path: path) } == .nobodyListens(path: path))
            let long = folder.path + "/" + String(repeating: "s", count: 120)
            #expect(
                refusal { () throws(ShutterError) in _ = try SocketCaller(path: long) }
                    == .pathTooLong(long, limit: 107))
        }

        @Test func aRunThatIsSilentOrEndsDoesNotAnswer() throws {
            let held = Guarded<[SocketReply]>([])
            let shutter = try SocketShutter(path: path) { _, reply in held.withLock { $0.append(reply) } }
            let caller = try SocketCaller(path: path)
            let silent = refusal { () throws(ShutterError) in
                _ = try caller.ask(.object([("press", true)]), within: .milliseconds(1))
            }
            #expect(silent == .noAnswer(path: path))
            held.withLock { $0 = [] }
            shutter.close()
            let over = refusal { () throws(ShutterError) in _ = try caller.ask(.object([("press", true)])) }
            #expect(over == .noAnswer(path: path))
        }

        /// Too many clients are told so, and disconnected.
        @Test func oneClientTooManyIsToldSo() throws {
            let shutter = try SocketShutter(path: path) { _, reply in reply.send("{}") }
            let others = try (0..<SocketShutter.maxClients).map { _ in try SocketCaller(path: path) }
            for other in others { _ = try other.ask(.object([("press", true)])) }
            #expect(try SocketCaller(path: path).ask(.object([("press", true)]))["code"]?.asString == "refused")
            withExtendedLifetime(others) {}
            shutter.close()
        }
    }
}
