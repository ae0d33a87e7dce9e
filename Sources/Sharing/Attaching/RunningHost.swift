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
    public static var all: [RunningHost] {
        processes.compactMap { pid in
            let path = address(of: pid).path
            guard let ring = ForeignRing(at: path) else { return nil }
            return RunningHost(pid: pid, command: commandName(of: pid), source: ring.source, path: path)
        }
    }

    /// Removes the sockets that killed processes have left.
    static func removeDead() {
        for pid in processes where kill(pid, 0) != 0 && errno == ESRCH { unlink(address(of: pid).path) }
    }

    /// The processes with a socket of that name, in order.
    private static var processes: [Int32] {
        fileNames(in: address(of: 0).directory).compactMap { process(ofSocket: $0) }.sorted()
    }

    /// Where a process lets others read its frames.
    static func address(of pid: Int32) -> SocketAddress {
        SocketAddress(
            runtimeDirectory: pathInEnvironment("XDG_RUNTIME_DIR"), user: geteuid(), name: "host-\(pid).sock")
    }

    private static func process(ofSocket name: String) -> Int32? {
        guard name.hasPrefix("host-"), name.hasSuffix(".sock") else { return nil }
        return Int32(name.dropFirst(5).dropLast(5)).flatMap { $0 > 0 ? $0 : nil }
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
