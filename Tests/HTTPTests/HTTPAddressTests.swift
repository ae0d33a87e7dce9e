// SPDX-License-Identifier: MIT
// Which texts are addresses, and what listens there.

import Glibc
import Testing

@testable import LivecapHTTP

@Suite struct HTTPAddressTests {
    @Test(arguments: [
        ("127.0.0.1:8080", "127.0.0.1", 8080, true), ("0.0.0.0:1", "0.0.0.0", 1, false),
        ("[::1]:65535", "::1", 65535, true), ("[::]:0", "::", 0, false), ("localhost:80", "127.0.0.1", 80, true),
        ("8081", "127.0.0.1", 8081, true), ("127.9.9.9:5", "127.9.9.9", 5, true),
        ("192.168.1.7:8080", "192.168.1.7", 8080, false),
    ])
    func readsAddresses(_ text: String, _ host: String, _ port: UInt16, _ isLoopback: Bool) throws {
        let address = try #require(HTTPAddress(text))
        #expect(address.host == host && address.port == port && address.isLoopback == isLoopback)
    }

    @Test(arguments: [
        "", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:8 ", "::1:80", "[::1]",
        "[::1]80", "[127.0.0.1]:80", "example.org:80", "1.2.3:80", "[fe80::1%eth0]:80",
    ])
    func refusesOtherTexts(_ text: String) { #expect(HTTPAddress(text) == nil) }

    @Test(arguments: ["127.0.0.1:0", "[::1]:0"]) func theSystemChoosesAPort(_ text: String) throws {
        let address = try #require(HTTPAddress(text))
        let socket = try address.listen()
        defer { close(socket) }
        let chosen = try #require(HTTPAddress(of: socket))
        #expect(chosen.host == address.host && chosen.port > 0)
        #expect(throws: HTTPError.cannotListen("\(chosen)", errno: EADDRINUSE)) { try chosen.listen() }
    }

    /// No machine has an address of this network, which is for documents.
    @Test func anAddressOfAnotherMachineIsSaidToBe() throws {
        let address = try #require(HTTPAddress("192.0.2.7:0"))
        let error = HTTPError.cannotListen("192.0.2.7:0", errno: EADDRNOTAVAIL)
        #expect(throws: error) { try address.listen() }
        #expect(error.hint.contains("no such address") && error.hint.contains("ip address"))
    }
}
