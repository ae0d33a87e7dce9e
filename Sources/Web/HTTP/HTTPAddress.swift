// SPDX-License-Identifier: MIT
// Where a server listens.

import Glibc

/// An address and a port of this machine: `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`, or a port alone, of
/// loopback.
package struct HTTPAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address in digits, without brackets.
    package let host: String
    package let port: UInt16
    private let isSix: Bool

    /// Reads an address; nil if the text is none.
    package init?(_ text: String) {
        let (host, digits): (Substring, Substring)
        if text.hasPrefix("[") {
            guard let end = text.lastIndex(of: "]"), text[text.index(after: end)...].hasPrefix(":") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            digits = text[text.index(end, offsetBy: 2)...]
        } else if let colon = text.lastIndex(of: ":") {
            host = text[..<colon]
            digits = text[text.index(after: colon)...]
        } else {
            host = "127.0.0.1"
            digits = text[...]
        }
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else { return nil }
        let address = host == "localhost" ? "127.0.0.1" : String(host)
        var (four, six) = (in_addr(), in6_addr())
        isSix = text.hasPrefix("[")
        guard isSix ? inet_pton(AF_INET6, address, &six) == 1 : inet_pton(AF_INET, address, &four) == 1 else {
            return nil
        }
        self.host = address
        self.port = port
    }

    private init(_ host: String, _ port: UInt16, isSix: Bool) {
        self.host = host
        self.port = port
        self.isSix = isSix
    }

    /// Whether only programs of this machine can reach it.
    package var isLoopback: Bool { isSix ? host == "::1" : host.hasPrefix("127.") }
    /// Whether it stands for all addresses of this machine.
    package var isEvery: Bool { host == "0.0.0.0" || host == "::" }

    /// As it is written in a URL.
    package var description: String { "\(isSix ? "[\(host)]" : host):\(port)" }

    /// A socket that listens there.
    package func listen() throws(HTTPError) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let socket = Glibc.socket(isSix ? AF_INET6 : AF_INET, type, 0)
        guard socket >= 0 else { throw .cannotListen(description, errno: errno) }
        var yes: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard bind(socket), Glibc.listen(socket, 128) == 0 else {
            let failure = errno
            close(socket)
            throw .cannotListen(description, errno: failure)
        }
        return socket
    }

    private func bind(_ socket: Int32) -> Bool {
        if isSix {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            inet_pton(AF_INET6, host, &address.sin6_addr)
            return Self.bind(socket, &address)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, host, &address.sin_addr)
        return Self.bind(socket, &address)
    }

    private static func bind<Address>(_ socket: Int32, _ address: inout Address) -> Bool {
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(socket, $0, socklen_t(MemoryLayout<Address>.size)) == 0
            }
        }
    }

    /// The address that a listening socket has; nil if it is no socket of the internet. Its port may have been the
    /// system's choice.
    package init?(of socket: Int32) {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isKnown = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) == 0 }
        }
        guard isKnown else { return nil }
        let isSix = Int32(storage.ss_family) == AF_INET6
        guard isSix || Int32(storage.ss_family) == AF_INET else { return nil }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let port = withUnsafeBytes(of: &storage) { bytes in
            bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self).bigEndian
        }
        let family = isSix ? AF_INET6 : AF_INET
        withUnsafeBytes(of: &storage) { bytes in
            guard let start = bytes.baseAddress else { return }
            _ = inet_ntop(family, start + (isSix ? 8 : 4), &text, socklen_t(INET6_ADDRSTRLEN))
        }
        self.init(
            String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self), port, isSix: isSix)
    }

    /// The address at which other machines reach this one, by the way to the internet; nil if there is none. Nothing is
    /// sent.
    package static var ofThisMachine: String? {
        let socket = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        guard socket >= 0 else { return nil }
        defer { close(socket) }
        var target = sockaddr_in()
        (target.sin_family, target.sin_port) = (sa_family_t(AF_INET), UInt16(9).bigEndian)
        // An address for documents (RFC 5737).
        inet_pton(AF_INET, "198.51.100.1", &target.sin_addr)
        let isConnected = withUnsafePointer(to: &target) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected, let own = HTTPAddress(of: socket), !own.isLoopback else { return nil }
        return own.host
    }
}
