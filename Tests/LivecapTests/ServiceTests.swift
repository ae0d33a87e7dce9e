// SPDX-License-Identifier: MIT
// `livecap serve` as a service: the socket that is handed over, and what the service manager is told.

import Foundation
import Glibc
import LivecapPatience
import Testing

@testable import livecap

@Suite struct ServiceTests {
    private let files: Scratch

    init() throws { files = try Scratch() }

    /// Starts `livecap serve` with sockets as systemd hands them over.
    private func serve(
        _ sockets: String..., by command: [String] = ["serve", "--format", "MJPG"], words: [String] = [],
        variables: String = ""
    ) throws -> RunningLivecap {
        let script = """
            import os, socket, sys
            made, end = [], sys.argv.index('--')
            for kind in sys.argv[1:end]:
                if kind == 'file': made.append(open('/dev/null')); continue
                family = socket.AF_UNIX if kind == 'unix' else socket.AF_INET
                s = socket.socket(family, socket.SOCK_DGRAM if kind == 'datagram' else socket.SOCK_STREAM)
                if kind == 'unix': s.bind(chr(0) + 'livecap-test-%d' % os.getpid())
                else: s.bind(('0.0.0.0' if kind == 'every' else '127.0.0.1', 0))
                if kind not in ('datagram', 'silent'): s.listen()
                made.append(s)
            copies = [os.dup(s.fileno()) for s in made]
            high = [os.dup2(c, 100 + i) for i, c in enumerate(copies)]
            for i, c in enumerate(high): os.dup2(c, 3 + i)
            os.closerange(3 + len(made), 200)
            os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(made)))
            os.execv(sys.argv[end + 1], sys.argv[end + 1:])
            """
        let path = try files.write(Array(script.utf8), to: "hand.py")
        let scene = ["--synthetic", "tripod:prerender=2", "--size", "64x48", "--json"]
        return try RunningLivecap(
            command + scene + ["--library", files.path("library")] + words,
            shell: "\(variables) exec /usr/bin/python3 '\(path)' \(sockets.joined(separator: " ")) -- \"$@\"")
    }

    @Test func aSocketThatIsHandedOverIsServed() throws {
        let program = try serve("tcp", words: ["--duration", "1ms", "--listen", "1"])
        let outcome = program.finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let listen = try outcome.object["listen"] as? String
        #expect(listen?.hasPrefix("127.0.0.1:") == true && listen != "127.0.0.1:1")
        #expect(outcome.errors.contains("--listen is not used"))
        #expect(try outcome.object["token"] is NSNull)
    }

    @Test func aHandedSocketThatOthersReachNeedsAToken() throws {
        let outcome = try serve("every", words: ["--duration", "1ms"]).finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect((try outcome.object["token"] as? String)?.count == 32)
    }

    @Test(arguments: [
        (["tcp", "tcp"], "there are 2"), (["datagram"], "ListenStream"), (["unix"], "internet"),
        (["file"], "no socket"),
        (["silent"], "does not listen"),
    ]) func anotherKindIsRefused(_ sockets: [String], _ words: String) throws {
        let outcome = try serve(sockets.joined(separator: " "), words: ["--duration", "1ms"]).finish()
        #expect(outcome.status == 64 && outcome.errors.contains(words), "\(outcome.errors)")
        #expect(try outcome.object["code"] as? String == "bad-socket")
    }

    @Test func socketsOfAnotherProcessAreNotUsed() throws {
        let scene = ["serve", "--synthetic", "tripod:prerender=2", "--size", "64x48", "--format", "MJPG"]
        let outcome = try RunningLivecap(
            scene + ["--library", files.path("library"), "--listen", "0", "--duration", "1ms"],
            shell: "export LISTEN_PID=1 LISTEN_FDS=1; exec \"$@\" 3</dev/null"
        ).finish()
        #expect(outcome.status == 0 && outcome.output.contains("http://127.0.0.1:"), "\(outcome.errors)")
    }

    /// A socket that a manager listens at: a path, or an abstract name, which begins with a zero.
    private func manager(_ name: [UInt8]) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        try #require(descriptor >= 0)
        var patience = timeval(tv_sec: Patience.seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(2 + name.count))
            }
        }
        try #require(bound == 0, "\(String(cString: strerror(errno)))")
        return descriptor
    }

    private func message(_ manager: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(manager, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    @Test(arguments: [false, true]) func theManagerIsToldOfBeginAndEnd(_ isAbstract: Bool) throws {
        let path = files.path("notify")
        let manager = try manager((isAbstract ? [0] : []) + Array(path.utf8))
        defer { close(manager) }
        let program = try serve(
            "tcp", words: ["--token-file", files.path("token")],
            variables: "export NOTIFY_SOCKET='\(isAbstract ? "@" : "")\(path)';")
        let ready = message(manager)
        #expect(ready.hasPrefix("READY=1\nSTATUS=") && ready.hasSuffix("0 viewers"), "\(ready)")
        program.signal(SIGTERM)
        #expect(message(manager) == "STOPPING=1")
        let outcome = program.finish()
        #expect(outcome.status == 143)
        // The journal is read by more people than may view.
        let token = files.text("token").trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(token.count == 32 && !(outcome.output + outcome.errors).contains(token))
        #expect(outcome.errors.contains(files.path("token")))
    }

    @Test func aRunThatServesTellsTheSame() throws {
        let path = files.path("notify")
        let manager = try manager(Array(path.utf8))
        defer { close(manager) }
        let program = try serve(
            "tcp", by: ["run", "--serve", "--no-socket"],
            words: ["--token-file", files.path("token"), "--duration", "1ms"],
            variables: "export NOTIFY_SOCKET='\(path)';")
        let outcome = program.finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(message(manager).hasPrefix("READY=1\nSTATUS=") && message(manager) == "STOPPING=1")
        let token = files.text("token").trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(token.count == 32 && !(outcome.output + outcome.errors).contains(token))
        #expect(outcome.errors.contains(files.path("token")))
    }

    @Test func onlyNamesOfSocketsAreAddresses() {
        #expect(ServiceManager.address(Array("/run/n".utf8)) == Array("/run/n".utf8))
        #expect(ServiceManager.address(Array("@n".utf8)) == [0, UInt8(ascii: "n")])
        for name in ["", "/", "@", "n", "vsock:2:1", "/" + String(repeating: "x", count: 107)] {
            #expect(ServiceManager.address(Array(name.utf8)) == nil, "\(name)")
        }
    }

    @Test func theUnitsForbidWhatIsNotNeeded() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "packaging/debian")
        let analyse = "/usr/bin/systemd-analyze"
        guard FileManager.default.isExecutableFile(atPath: analyse) else { return }
        for name in ["livecap.service", "livecap.socket"] {
            let unit = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            try files.write(Array(unit.replacing("/usr/bin/livecap", with: "/bin/true").utf8), to: name)
        }
        let service = files.path("livecap.service")
        // In tenths: below 2.0.
        #expect(try run(analyse, ["security", "--offline=true", "--no-pager", "--threshold=20", service]) == 0)
        #expect(try run(analyse, ["verify", "--man=no", service, files.path("livecap.socket")]) == 0)
    }
}
