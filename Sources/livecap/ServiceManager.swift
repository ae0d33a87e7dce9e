// SPDX-License-Identifier: MIT
// What the service manager is told: sd_notify(3).

import Glibc

/// The service manager that has started this program, if one has. It may be told nothing: then nobody waits for it.
struct ServiceManager {
    private let address: [UInt8]?

    /// The manager that the environment names. Children do not tell it anything.
    init() {
        let name = getenv("NOTIFY_SOCKET").map { Array(String(cString: $0).utf8) } ?? []
        unsetenv("NOTIFY_SOCKET")
        address = Self.address(name)
    }

    /// Whether a manager waits for what it is told.
    var isThere: Bool { address != nil }

    /// The path of a socket, or its abstract name, which begins with a zero for the system and with @ for people. Nil
    /// if it is neither, or too long.
    static func address(_ name: [UInt8]) -> [UInt8]? {
        guard let first = name.first, name.count > 1, name.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path)
        else { return nil }
        switch first {
        case UInt8(ascii: "@"): return [0] + name.dropFirst()
        case UInt8(ascii: "/"): return name
        default: return nil
        }
    }

    /// Says that the program serves.
    func tellReady(_ status: String) { tell("READY=1\nSTATUS=\(status.oneLine)") }
    /// Says how it is going.
    func tell(status: String) { tell("STATUS=\(status.oneLine)") }
    /// Says that the program ends.
    func tellStopping() { tell("STOPPING=1") }

    private func tell(_ text: String) {
        guard let address else { return }
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return }
        defer { close(socket) }
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: address) }
        let size = MemoryLayout<sa_family_t>.size + address.count
        let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
        _ = withUnsafePointer(to: &target) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                Array(text.utf8).withUnsafeBytes {
                    sendto(socket, $0.baseAddress, $0.count, flags, pointer, socklen_t(size))
                }
            }
        }
    }
}

extension String {
    /// Without what begins another assignment.
    fileprivate var oneLine: String { String(map { $0.isNewline ? " " : $0 }) }
}
