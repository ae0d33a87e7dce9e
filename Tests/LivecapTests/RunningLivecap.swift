// SPDX-License-Identifier: MIT
// The built program as a child process, with its output in files and a time limit on its end.

import Foundation
import Glibc
import LivecapFiles
import LivecapPatience
import LivecapProcesses
import Testing

/// The result of a run.
struct Outcome {
    /// The exit status, or the negated number of the signal that ended the program.
    let status: Int32
    let output: String
    let errors: String

    /// Standard output as objects, one per line. Anything else fails the test.
    var objects: [[String: Any]] {
        get throws {
            try output.split(separator: "\n").map { line in
                let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
                return try #require(value as? [String: Any])
            }
        }
    }

    /// The only object on standard output.
    var object: [String: Any] {
        get throws {
            let objects = try objects
            try #require(objects.count == 1, "\(output)")
            return objects[0]
        }
    }
}

/// A running livecap.
final class RunningLivecap {
    private let process = Process()
    private let ended = DispatchSemaphore(value: 0)
    private let files: Scratch

    /// The program is built in the same folder as the tests.
    static let path = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "livecap").path

    /// A script that pipes the program's output into `reader`, and ends with the program's status, not the reader's.
    static func piped(into reader: String) -> String {
        "exec bash -c '\"$@\" | \(reader); exit ${PIPESTATUS[0]}' bash \"$@\""
    }

    /// Starts the program. If given, `shell` is a script that sets a limit or a redirection and runs the program as
    /// `"$@"`. `settings` is the text of the program's configuration file.
    init(
        _ arguments: [String], shell: String? = nil, output: FileHandle? = nil, errors: FileHandle? = nil,
        settings: String? = nil
    ) throws {
        files = try Scratch()
        // The user's own settings must not have an effect.
        try FileManager.default.createDirectory(atPath: files.path("livecap"), withIntermediateDirectories: true)
        if let settings { try files.write(Array(settings.utf8), to: "livecap/config") }
        process.environment = ProcessInfo.processInfo.environment
            .merging(["XDG_CONFIG_HOME": files.path(".")]) { $1 }
        if let shell {
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", shell, "sh", Self.path] + arguments
        } else {
            process.executableURL = URL(filePath: Self.path)
            process.arguments = arguments
        }
        process.standardInput = FileHandle.nullDevice
        // The program has its own copies. A Process would keep ours open as long as it lives.
        let (ownOutput, ownErrors) = (try files.create("output"), try files.create("errors"))
        defer { for handle in [ownOutput, ownErrors] { try? handle.close() } }
        process.standardOutput = output ?? ownOutput
        process.standardError = errors ?? ownErrors
        // A script's `swift test &` ignores SIGINT. Children inherit this, and livecap respects it.
        Glibc.signal(SIGINT, SIG_DFL)
        let ended = ended
        process.terminationHandler = { _ in ended.signal() }
        // Threads of a pool block all signals, and children inherit this. A child of a shell has none blocked.
        var (none, own) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &own)
        defer { pthread_sigmask(SIG_SETMASK, &own, nil) }
        try process.run()
    }

    /// The text written to standard output so far.
    var output: String { files.text("output") }
    /// The text written to standard error so far.
    var errors: String { files.text("errors") }

    /// The program's process.
    var id: Int32 { process.processIdentifier }

    /// How many bytes of addresses the program uses.
    var addressBytes: UInt64 { status("VmSize:", in: "status", radix: 10) << 10 }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Whether a signal sent to the program is still pending: `proc_pid_status(5)`.
    func isPending(_ signal: Int32) -> Bool { mask("ShdPnd:") & 1 << UInt64(signal - 1) != 0 }

    /// Whether the program ignores a signal.
    func isIgnored(_ signal: Int32) -> Bool { mask("SigIgn:") & 1 << UInt64(signal - 1) != 0 }

    /// The descriptors that the program has open: `proc_pid_fd(5)`.
    var descriptors: Set<Int> {
        Set(((try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/fd")) ?? []).compactMap { Int($0) })
    }

    /// How many bytes of the program are in memory.
    var residentBytes: UInt64 { status("VmRSS:", in: "status", radix: 10) << 10 }

    /// How often the thread of this name has gone to sleep by itself.
    func naps(of thread: String) -> UInt64 {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/task")) ?? []
        return tasks.map { "task/\($0)/" }.filter { text("\($0)comm") == thread + "\n" }
            .map { status("voluntary_ctxt_switches:", in: "\($0)status", radix: 10) }.reduce(0, +)
    }

    /// Waits until the source has delivered about as many more frames: the capture thread sleeps before each.
    func waitForFrames(_ count: UInt64) throws {
        let before = naps(of: "capture")
        try eventually("\(count) frames") { naps(of: "capture") >= before + count }
    }

    /// Whether the program has not ended.
    var isRunning: Bool { process.isRunning }

    private var folder: String { "/proc/\(process.processIdentifier)" }

    private func text(_ file: String) -> String {
        (try? String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)) ?? ""
    }

    /// A mask of signals from the program's status.
    private func mask(_ name: String) -> UInt64 { status(name, in: "status", radix: 16) }

    /// A number from the status of the program or of one of its threads; 0 if it cannot be read.
    private func status(_ name: String, in file: String, radix: Int) -> UInt64 {
        let line = text(file).split(separator: "\n").first { $0.hasPrefix(name) }
        let value = line?.dropFirst(name.count).split(whereSeparator: \.isWhitespace).first
        return value.flatMap { UInt64($0, radix: radix) } ?? 0
    }

    /// Waits for the end of the program. If it hangs, it is killed and the test fails.
    func finish(within seconds: Int = Patience.seconds) -> Outcome {
        if ended.wait(timeout: .now() + .seconds(seconds)) == .timedOut {
            signal(SIGKILL)
            ended.wait()
            Issue.record("hung for \(seconds) s: \(process.arguments ?? [])\n\(errors)")
        }
        let status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
        return Outcome(status: status, output: output, errors: errors)
    }
}

extension RunningLivecap {
    /// Waits until it has printed a number of lines, and returns the last one's object.
    func line(_ count: Int) throws -> [String: Any] {
        try eventually("line \(count)") { output.split(separator: "\n").count >= count }
        let lines = output.split(separator: "\n")
        try #require(lines.count == count, "\(output)\(errors)")
        return try JSONSerialization.jsonObject(with: Data(lines[count - 1].utf8)) as? [String: Any] ?? [:]
    }
}

/// Runs livecap to its end.
func livecap(_ arguments: String..., shell: String? = nil) throws -> Outcome {
    try RunningLivecap(arguments, shell: shell).finish()
}

/// A temporary folder for a test, removed with this object.
final class Scratch {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "livecap-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appending(path: name).path }
    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()) ?? [] }
    func text(_ name: String) -> String { String(decoding: (try? bytes(name)) ?? [], as: UTF8.self) }
    func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: folder.appending(path: name))) }

    @discardableResult
    func write(_ bytes: [UInt8], to name: String) throws -> String {
        try Data(bytes).write(to: folder.appending(path: name))
        return path(name)
    }

    /// Fills a folder with files that are no libraries, under the names of every libavformat that is known: the loader
    /// finds them before the system's. A file that is there stays.
    func hideFFmpeg(in name: String) throws {
        try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
        for number in 59...63 {
            let library = "\(name)/libavformat.so.\(number)"
            if !FileManager.default.fileExists(atPath: path(library)) { try write([], to: library) }
        }
    }

    fileprivate func create(_ name: String) throws -> FileHandle {
        FileHandle(forWritingAtPath: try write([], to: name))!
    }

    /// A headerless file of `count` NV12 frames of 64x48, which differ in every byte from one to the next. Returns its
    /// path.
    func rawFrames(_ count: Int, name: String = "frames.nv12") throws -> String {
        // Byte i of frame n is 7 i + 13 n, which every frame takes from one sequence: to compute each byte takes long
        // in unoptimised builds. 183 times 7 is 1, modulo 256.
        let frameBytes = 64 * 48 * 3 / 2
        let sequence = (0..<(frameBytes + 256)).map { UInt8(truncatingIfNeeded: $0 * 7) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count * frameBytes)
        for frame in 0..<count {
            let start = frame * 13 * 183 % 256
            bytes += sequence[start..<start + frameBytes]
        }
        return try write(bytes, to: name)
    }

    /// The options that describe those frames.
    static let rawOptions = ["--input-format", "NV12", "--size", "64x48"]
}

/// A pseudo-terminal. Swift's module of the C library lacks posix_openpt, so this uses TIOCSPTLCK and TIOCGPTN of
/// pts(4).
final class PseudoTerminal {
    /// The end to which a test types, and from which it reads what is shown.
    let outer: Int32
    /// The path of the terminal itself.
    let path: String

    init() throws {
        outer = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var (isLocked, number): (Int32, Int32) = (0, 0)
        let isUnlocked = ioctl(outer, 0x4004_5431, &isLocked) == 0 && ioctl(outer, 0x8004_5430, &number) == 0
        try #require(outer >= 0 && isUnlocked)
        path = "/dev/pts/\(number)"
    }

    deinit { close(outer) }

    func type(_ text: String) { _ = write(outer, text, text.utf8.count) }

    /// Everything that is shown until the last program has closed the terminal. What was written arrives in parts, some
    /// of them after the program has ended; EIO says that nothing more will come.
    func readToEnd() -> String {
        var (shown, bytes) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while true {
            let count = read(outer, &bytes, bytes.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return String(decoding: shown, as: UTF8.self) }
            shown += bytes.prefix(count)
        }
    }
}

/// Whether a program is installed.
func isInstalled(_ name: String) -> Bool {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
}

/// Runs another program to its end and returns its exit status.
@discardableResult
func run(_ program: String, _ arguments: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.awaitEnd()
    return process.terminationStatus
}
