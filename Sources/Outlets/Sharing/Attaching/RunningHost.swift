// SPDX-License-Identifier: MIT
// The commands of livecap that have cameras, and let others use their frames.

import Camera
import Glibc
import LivecapFiles
import LivecapFrames
import Shutter

/// A livecap of this user that has a camera, a file or a scene, and lets other commands read its frames.
public struct RunningHost: Hashable, Sendable {
    /// Its process.
    public let pid: Int32
    /// Its command, such as `livecap run`.
    public let command: String
    /// What it delivers.
    public let source: SourceDescription
    let path: String

    /// All there are, by process.
    public static var all: [RunningHost] { found.running }

    /// All there are, and the processes that have a socket there but do not answer, or have as many readers as they
    /// serve.
    package static var found: (running: [RunningHost], silent: [Int32]) {
        var (running, silent): ([RunningHost], [Int32]) = ([], [])
        for (pid, address) in addresses {
            if let ring = ForeignRing(at: address.path) {
                running.append(
                    RunningHost(pid: pid, command: commandName(of: pid), source: ring.source, path: address.path))
            } else if !address.isDead {
                silent.append(pid)
            }
        }
        return (running, silent)
    }

    /// Removes the sockets that killed processes have left.
    static func removeDead() {
        // A process in a container has no number here, and may live.
        for (pid, address) in addresses where kill(pid, 0) != 0 && errno == ESRCH {
            try? ListeningSocket.removeDead(at: address)
        }
    }

    /// The sockets in the folder, by process.
    private static var addresses: [(pid: Int32, address: SocketAddress)] {
        fileNames(in: address("").directory).compactMap { name -> (pid: Int32, address: SocketAddress)? in
            guard name.hasPrefix("host-"), name.hasSuffix(".sock") else { return nil }
            let number = name.dropFirst(5).prefix { $0.isASCII && $0.isNumber }
            return Int32(number).map { ($0, address(name)) }
        }.sorted { ($0.pid, $0.address.path) < ($1.pid, $1.address.path) }
    }

    /// Where a process lets others read its frames. Processes in containers may share its number and its folder.
    static func address(of pid: Int32, _ attempt: Int) -> SocketAddress {
        address(attempt == 0 ? "host-\(pid).sock" : "host-\(pid)-\(attempt).sock")
    }

    private static func address(_ name: String) -> SocketAddress {
        SocketAddress(runtimeDirectory: pathInEnvironment("XDG_RUNTIME_DIR"), user: geteuid(), name: name)
    }

    /// The name of a process and its first argument, as they were typed.
    private static func commandName(of pid: Int32) -> String {
        let words = (SystemFiles.text("/proc/\(pid)/cmdline") ?? "").split(separator: "\0").prefix(2)
        guard let program = words.first?.split(separator: "/").last else { return "livecap" }
        return ([program] + words.dropFirst().filter { $0.allSatisfy(\.isLetter) }).joined(separator: " ")
    }
}

extension RunningHost: CustomStringConvertible {
    /// Such as `livecap run (pid 123)`.
    public var description: String { "\(command) (pid \(pid))" }
}
