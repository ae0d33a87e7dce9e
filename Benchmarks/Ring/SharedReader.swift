// SPDX-License-Identifier: MIT
// A process that reads a shared ring, for benchmarks: this program, started again.

import Glibc
import LivecapCShare
import LivecapFiles
import LivecapFrames

/// A child process that follows a shared ring and notes when it sees each frame.
final class SharedReader {
    private let output: String
    private var process = pid_t()
    private(set) var isReaped = false

    /// The first word of the child's command line.
    private static let word = "--read-shared"

    struct Failure: Error { let errno: Int32 }

    /// Starts a reader of `frames` frames, whose delays go to a file.
    init(_ socket: String, frames: Int, output: String) throws {
        self.output = output
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        let words = ["livecap-bench", Self.word, socket, "\(frames)"]
        let result = withFileNames(words) { posix_spawn(&process, "/proc/self/exe", &actions, nil, $0, environ) }
        guard result == 0 else { throw Failure(errno: result) }
    }

    deinit {
        if !isReaped {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
        }
        unlink(output)
    }

    /// Whether it has read all of its frames.
    var hasEnded: Bool {
        if !isReaped { isReaped = waitpid(process, nil, WNOHANG) == process }
        return isReaped
    }

    /// How long after its time each frame was seen.
    func delays() throws -> [Duration] {
        guard let file = fopen(output, "re") else { throw Failure(errno: errno) }
        defer { fclose(file) }
        var (delays, delay) = ([Duration](), Int64(0))
        while fread(&delay, 8, 1, file) == 1 { delays.append(.nanoseconds(delay)) }
        return delays
    }
}

/// Runs as such a reader if the command line says so, and ends the process then.
public func readSharedFrames(ifToldBy words: [String]) {
    guard words.count == 3, words[0] == "--read-shared", let count = Int(words[2]) else { return }
    var share = livecap_share()
    var frame = livecap_frame()
    guard livecap_share_open(&share, words[1]) == 0 else { exit(1) }
    var next = livecap_share_next_counter(&share)
    var delays: [Int64] = []
    delays.reserveCapacity(count)
    while delays.count < count, livecap_share_wait(&share, next, -1) > 0 {
        guard livecap_share_next(&share, next, &frame) == 0 else { continue }
        let now = Timestamp.now
        next = frame.record.counter + 1
        if livecap_share_is_intact(&frame) != 0 { delays.append(now.nanoseconds - frame.record.time_ns) }
    }
    delays.withUnsafeBytes { _ = writeAll($0, to: STDOUT_FILENO, FileCalls()) }
    exit(0)
}
