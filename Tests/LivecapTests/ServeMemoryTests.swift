// SPDX-License-Identifier: MIT
// What visitors of `livecap serve` leave behind in its memory.

import Foundation
import LivecapPatience
import Testing

import class LivecapWebGear.HTTPConnection

@testable import livecap

@Suite struct ServeMemoryTests {
    /// Not under a sanitizer, which keeps what was freed for a while.
    @Test(.enabled(if: getenv("LIVECAP_SANITIZER") == nil)) func tenThousandConnectionsInTurnLeaveNothing() throws {
        let files = try Scratch()
        let program = try RunningLivecap([
            "serve", "--synthetic", "tripod:prerender=2", "--size", "64x48", "--format", "MJPG", "--listen", "0",
            "--library", files.path("library"), "--json",
        ])
        try eventually("the address") { program.output.hasSuffix("\n") }
        let object = try JSONSerialization.jsonObject(with: Data(program.output.utf8)) as? [String: Any]
        let address = try #require(object?["listen"] as? String)
        let port = try #require(address.split(separator: ":").last.flatMap { UInt16($0) })
        func turn(_ count: Int) throws {
            for _ in 0..<count {
                let connection = try HTTPConnection(port: port)
                try connection.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                #expect(try connection.readAnswer().status == 200)
            }
        }
        try turn(2000)
        let descriptors = program.descriptors.count
        var memory = [program.residentBytes]
        #expect(memory[0] > 0)
        for _ in 0..<4 {
            try turn(2000)
            memory.append(program.residentBytes)
        }
        // A kilobyte kept for each of them would be eight times as much, every time. What the server needs once, such
        // as when its camera goes to sleep meanwhile, comes once.
        let growth = zip(memory.dropFirst(), memory).map { $0 - $1 }
        #expect(growth.min()! < 1 << 18, "\(growth)")
        try eventually("the last close") { program.descriptors.count <= descriptors }
        program.signal(SIGINT)
        #expect(program.finish().status == 0)
    }
}
