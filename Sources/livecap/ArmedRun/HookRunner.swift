// SPDX-License-Identifier: MIT
// Runs a user's command after each photo, without holding up captures.

import Dispatch
import Glibc
import LivecapCSystem
import LivecapFiles
import LivecapThreads

/// Runs a shell command for each photo, a few at a time, in the order of the photos.
///
/// The command gets the photo's file as `$1` and in LIVECAP_FILE, and the object that `--json` prints in LIVECAP_JSON.
/// It has no input, its output goes to standard error, and it inherits no other descriptor. It is in a process group of
/// its own, so that Ctrl-C, which ends livecap gracefully, does not interrupt it.
final class HookRunner: Sendable {
    /// More at once would take processors from the photos.
    private static let maxConcurrent = 2

    private struct Job: Sendable {
        let file: String
        let facts: String
    }

    private struct State {
        var waiting: [Job] = []
        var workers = 0
        /// Process groups of the commands that are running.
        var running: Set<pid_t> = []
    }

    private let command: String
    private let state = Guarded(State())
    private let unfinished = DispatchGroup()

    /// A runner for a shell command line; nil if there is none.
    init?(_ command: String?) {
        guard let command else { return nil }
        self.command = command
    }

    /// Schedules the command for a photo, and returns at once.
    func add(_ report: ShotReport) {
        unfinished.enter()
        let job = Job(file: report.photo.file ?? "", facts: report.object.text)
        let needsWorker = state.withLock { state in
            state.waiting.append(job)
            guard state.workers < Self.maxConcurrent else { return false }
            state.workers += 1
            return true
        }
        guard needsWorker else { return }
        do throws(SystemShortage) {
            try SystemThread(name: "hook") { self.work() }.detach()
        } catch {
            // The system has no thread left: the caller waits, but no photo goes without its hook.
            work()
        }
    }

    /// Waits until all commands have ended.
    func finish() { unfinished.wait() }

    /// Asks the running commands to end, because the program is about to end at once.
    func terminate() {
        for group in state.withLock({ $0.running }) { kill(-group, SIGTERM) }
    }

    private func work() {
        while let job = next() {
            if let trouble = run(job) {
                Console.note("note: the hook \(trouble) for \(job.file)")
            }
            unfinished.leave()
        }
    }

    /// The next photo; nil ends the calling worker.
    private func next() -> Job? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.workers -= 1
                return nil
            }
            return state.waiting.removeFirst()
        }
    }

    /// Runs the command and waits for its end. Returns nil, or what went wrong.
    private func run(_ job: Job) -> String? {
        let started = HookProcess.start(command, file: job.file, facts: job.facts)
        guard case .success(let process) = started else {
            if case .failure(let error) = started { return "could not be started (\(error.words))" }
            return nil
        }
        state.withLock { _ = $0.running.insert(process) }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 && errno == EINTR {}
        state.withLock { _ = $0.running.remove(process) }
        // WIFSIGNALED and WEXITSTATUS, which are macros.
        let signal = status & 0x7F
        if signal != 0 { return "was ended by signal \(signal)" }
        let exit = (status >> 8) & 0xFF
        return exit == 0 ? nil : "ended with status \(exit)"
    }
}

/// Starts a shell as a child process: `posix_spawn(3)`.
private enum HookProcess {
    /// Why it could not be started.
    struct Failure: Error {
        let errno: Int32
        var words: String { String(cString: strerror(errno)) }
    }

    static func start(_ command: String, file: String, facts: String) -> Result<pid_t, Failure> {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        // Standard output is reserved for the program's own results.
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
        // Our descriptors close on exec, but those of libraries, or left open by our parent, may not.
        lc_spawn_close_from(&actions, STDERR_FILENO + 1)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        // The command starts with the signals a shell would give it: those we block and ignore do not concern it.
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))

        var process = pid_t()
        let words = ["/bin/sh", "-c", command, "livecap-hook", file]
        let result = withFileNames(words) { arguments in
            withFileNames(environment + ["LIVECAP_FILE=\(file)", "LIVECAP_JSON=\(facts)"]) { variables in
                posix_spawn(&process, "/bin/sh", &actions, &attributes, arguments, variables)
            }
        }
        return result == 0 ? .success(process) : .failure(Failure(errno: result))
    }

    /// The environment this process was started with: `proc_pid_environ(5)`. Any code may have changed the C library's
    /// `environ`.
    private static let environment: [String] = {
        guard let file = fopen("/proc/self/environ", "re") else { return [] }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&piece, 1, piece.count, file), count > 0 { bytes += piece[..<count] }
        return bytes.split(separator: 0).map { FileName.text($0) }
    }()
}
