// SPDX-License-Identifier: MIT
// Sources leave no threads or descriptors behind.

import Glibc
import LivecapFiles
import LivecapPatience
import LivecapThreads
import Synchronization
import Testing

@testable import Shutter

extension Sources {
    @Suite struct LeakTests {
        /// Other tests open descriptors too, and close them sooner or later.
        private func expectNothingLeft(of rounds: Int, _ name: String, _ round: () throws -> Void) throws {
            let before = names(in: "/proc/self/fd").count
            for _ in 0..<rounds { try round() }
            try eventually("the end of all descriptors") { names(in: "/proc/self/fd").count < before + rounds / 2 }
            // A joined thread takes a moment to disappear from the list.
            try eventually("the end of all threads") { threads(named: name).isEmpty }
        }

        @Test func terminals() throws {
            try expectNothingLeft(of: 200, "tap keys") {
                let terminal = try Ends.terminal()
                _ = try TerminalShutter(descriptor: terminal.inner, onEvent: { _ in })
            }
        }

        @Test func signals() throws {
            try expectNothingLeft(of: 200, "tap signals") {
                _ = try SignalShutter()
            }
        }

        @Test func sockets() throws {
            let folder = try Folder()
            try expectNothingLeft(of: 200, "tap socket") {
                let shutter = try SocketShutter(path: "\(folder.path)/s") { _, reply in reply.send("x") }
                let client = try SocketProbe(shutter.path)
                client.send("{\"tap\":\"now\"}\n")
                _ = client.line()
            }
        }

        @Test func socketsThatCannotBeMade() throws {
            let folder = try Folder()
            close(open("\(folder.path)/s", O_CREAT | O_WRONLY, 0o600))
            try expectNothingLeft(of: 200, "tap socket") {
                #expect(throws: ShutterError.self) { _ = try SocketShutter(path: "\(folder.path)/s") { _, _ in } }
            }
        }

        @Test func inputDevices() throws {
            try expectNothingLeft(of: 200, "tap input") {
                let pipe = try Ends.pipe(nonBlocking: true)
                _ = try InputDeviceShutter(
                    OwnedDescriptor(dup(pipe.inner)), path: "", name: nil, events: InputEvents(keys: nil),
                    heldKeys: { () throws(ShutterError) in InputKeySet() }, onKey: { _, _ in }, onEnd: { _ in })
            }
        }

        @Test func closedByManyAtOnce() throws {
            let pipe = try Ends.pipe()
            let shutter = try TerminalShutter(descriptor: pipe.inner, onEvent: { _ in })
            let closers = (0..<8).map { _ in try! SystemThread(name: "closer") { shutter.close() } }
            for closer in closers { closer.join() }
            shutter.close()
        }
    }
}
