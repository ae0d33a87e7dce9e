// SPDX-License-Identifier: MIT
// A process of viewers, for benchmarks: this program, started again.

import Glibc
import LivecapFiles
import LivecapFrames

/// A frame that a viewer has received completely.
struct ViewedFrame {
    var viewer: UInt32
    var counter: UInt64
    /// The frame's time.
    var time: Timestamp
    /// When its last byte was read.
    var received: Timestamp
}

/// A child process with viewers of a server, which note when they have received which frame.
final class ViewerProcess {
    private let output: String
    private var process = pid_t()
    private var isReaped = false

    /// The first word of the child's command line.
    fileprivate static let word = "--view-frames"

    enum Failure: Error {
        case call(String, errno: Int32)
        case exit(status: Int32)
    }

    /// Starts viewers of a port of this machine.
    init(_ count: Int, of port: UInt16, for span: Duration, output: String) throws {
        self.output = output
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        let words = ["livecap-bench", Self.word, "\(port)", "\(count)", "\(span.nanoseconds)"]
        let result = withFileNames(words) { posix_spawn(&process, "/proc/self/exe", &actions, nil, $0, environ) }
        guard result == 0 else { throw Failure.call("posix_spawn", errno: result) }
    }

    deinit {
        if !isReaped {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
        }
        unlink(output)
    }

    /// Waits for the end of the viewers, and returns what they have received.
    func frames() throws -> [ViewedFrame] {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        isReaped = true
        guard status == 0 else { throw Failure.exit(status: status) }
        guard let file = fopen(output, "re") else { throw Failure.call("fopen", errno: errno) }
        defer { fclose(file) }
        var frames: [ViewedFrame] = []
        var frame = ViewedFrame(viewer: 0, counter: 0, time: .zero, received: .zero)
        while fread(&frame, MemoryLayout<ViewedFrame>.size, 1, file) == 1 { frames.append(frame) }
        return frames
    }
}

/// Runs as such a process if the command line says so, and ends it then.
public func viewFrames(ifToldBy words: [String]) {
    guard words.count == 4, words[0] == ViewerProcess.word, let port = UInt16(words[1]), let count = Int(words[2]),
        let nanoseconds = Int64(words[3])
    else { return }
    var viewers: [FrameViewing] = []
    for number in 0..<UInt32(count) {
        guard let viewer = FrameViewing(number, port) else { exit(1) }
        viewers.append(viewer)
    }
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
    var polled = viewers.map { pollfd(fd: $0.socket, events: Int16(POLLIN), revents: 0) }
    let end = Timestamp.now + .nanoseconds(nanoseconds)
    while Timestamp.now < end {
        guard poll(&polled, nfds_t(polled.count), 20) > 0 else { continue }
        for index in polled.indices where polled[index].revents != 0 {
            guard viewers[index].read(into: memory) else { exit(2) }
        }
    }
    for viewer in viewers { viewer.frames.withUnsafeBytes { _ = writeAll($0, to: STDOUT_FILENO, FileCalls()) } }
    exit(0)
}

/// One viewer: where it is in the answer, in a record, and in a picture.
private struct FrameViewing {
    let socket: Int32
    private(set) var frames: [ViewedFrame] = []
    private var isInside = false
    private var head: [UInt8] = []
    private var remaining = 0
    private var frame: ViewedFrame

    /// Connects, and asks for frames; nil if that fails.
    init?(_ number: UInt32, _ port: UInt16) {
        frame = ViewedFrame(viewer: number, counter: 0, time: .zero, received: .zero)
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let descriptor = socket
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        (address.sin_port, address.sin_addr.s_addr) = (port.bigEndian, UInt32(0x7F00_0001).bigEndian)
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        let request = Array("GET /frames HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        guard isConnected, write(descriptor, request, request.count) == request.count,
            fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0
        else { return nil }
    }

    /// Reads what has come, and notes the frames that are complete. Returns false if that is the end of the connection,
    /// or something else than frames.
    mutating func read(into memory: UnsafeMutableRawBufferPointer) -> Bool {
        let count = Glibc.read(socket, memory.baseAddress, memory.count)
        guard count > 0 else { return count < 0 && [EAGAIN, EINTR].contains(errno) }
        frame.received = .now
        var rest = UnsafeRawBufferPointer(rebasing: memory[..<count])
        while !rest.isEmpty {
            var part = 1
            if remaining > 0 {
                part = min(remaining, rest.count)
                remaining -= part
                if remaining == 0 { frames.append(frame) }
            } else if isInside {
                part = min(Self.headBytes - head.count, rest.count)
                head.append(contentsOf: rest.prefix(part))
                guard head.count < Self.headBytes || begin() else { return false }
            } else {
                head.append(rest[0])
                guard head.suffix(4) != [13, 10, 13, 10] || enter() else { return false }
            }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(part))
        }
        return true
    }

    /// The bytes in front of each picture.
    private static let headBytes = 36

    /// Begins with the answer's body.
    private mutating func enter() -> Bool {
        isInside = head.starts(with: Array("HTTP/1.1 200".utf8))
        head = []
        return isInside
    }

    /// Begins with a record. A heartbeat has no picture.
    private mutating func begin() -> Bool {
        let bytes = head
        head = []
        guard bytes.starts(with: Array("LCF1".utf8)) else { return false }
        bytes.withUnsafeBytes {
            frame.counter = UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            frame.time = Timestamp(
                nanoseconds: Int64(littleEndian: $0.loadUnaligned(fromByteOffset: 16, as: Int64.self)))
            remaining = Int(UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: 24, as: UInt32.self)))
        }
        return true
    }
}
