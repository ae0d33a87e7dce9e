// SPDX-License-Identifier: MIT
// Ctrl-C, kill and a closed terminal: the first asks for a clean end; a second Ctrl-C or kill gives up what is only
// convenient, or else ends at once, as SIGQUIT does.

import Glibc
import LivecapFrames
import LivecapThreads
import Synchronization

/// Turns signals into a request to stop. A thread of its own waits for them, so that nothing happens in a signal
/// handler.
///
/// Create it before any other thread, because threads inherit the blocked signals.
final class Interruption: Sendable {
    /// Hardly anybody presses Ctrl-C twice as fast as this.
    private static let oneGesture = Duration.milliseconds(250)

    /// In microseconds: how often the end is looked at.
    private static let look: UInt32 = 150_000
    /// After this many looks at which nothing optional goes on, it is said that a second signal ends at once.
    private static let patience = 20

    private let received = Atomic<Int32>(0)
    private let actions = Guarded<[@Sendable () -> Void]>([])
    private let lastActions = Guarded<[@Sendable () -> Void]>([])
    private let optional = OptionalWorks()

    /// Starts to listen for SIGINT, SIGTERM, SIGHUP and SIGQUIT, except those that were ignored when the process
    /// started: `nohup` ignores SIGHUP, and a script's `livecap &` SIGINT and SIGQUIT.
    init() throws(Failure) {
        var signals = Self.blockSignals()
        // A signal that is already pending counts from the beginning: nothing need be started.
        var noTime = timespec()
        let early = sigtimedwait(&signals, nil, &noTime)
        if early == SIGQUIT { quit() }
        if early > 0 { received.store(early, ordering: .releasing) }
        let watched = signals
        do throws(SystemShortage) {
            try AddressSpace.requireRoom()
            _ = try SystemThread(name: "signals") {
                var signals = watched
                var signal: Int32 = 0
                var first = early > 0 ? Timestamp.now : .zero
                while true {
                    guard sigwait(&signals, &signal) == 0 else { continue }
                    if signal == SIGQUIT { self.quit() }
                    if self.received.load(ordering: .relaxed) != 0 {
                        // One gesture can send two signals: a closing terminal causes a hang-up by the kernel and by
                        // the shell, and timeout(1) ends the process and then its group. That does not ask for an
                        // immediate end.
                        if signal == SIGHUP || Timestamp.now - first < Self.oneGesture { continue }
                        if let words = self.optional.giveUp() {
                            first = .now
                            for words in words { Console.note("\(words); \(Self.howToEnd) again ends at once") }
                            continue
                        }
                        self.beforeEnd()
                        _exit(128 + signal)
                    }
                    first = .now
                    self.received.store(signal, ordering: .releasing)
                    // On a thread of their own: they may take long, and a second signal must be noticed.
                    let actions = self.actions.withLock { $0 }
                    let act: @Sendable () -> Void = {
                        for action in actions { action() }
                        self.watchTheEnd()
                    }
                    if let thread = try? SystemThread(name: "on signal", act) { thread.detach() } else { act() }
                }
            }
        } catch { throw .camera(.shortage(error)) }
    }

    /// Says what holds the end up, and what another signal does then.
    private func watchTheEnd() {
        var quiet = 0
        // The process is gone by then, unless something holds it up: a reader that takes nothing, a disk.
        while quiet < Self.patience {
            usleep(Self.look)
            for words in optional.wordsToSay() { Console.note("\(words): \(Self.howToEnd) again gives that up") }
            quiet = optional.isGoingOn ? 0 : quiet + 1
        }
        let next = optional.isThere ? "gives up what is not needed" : "ends at once"
        Console.note("still ending: something is not written yet; \(Self.howToEnd) again \(next)")
    }

    private func beforeEnd() {
        Progress.clearLine()
        for action in lastActions.withLock({ $0 }) { action() }
    }

    /// Ends as SIGQUIT does by default, with a core dump if enabled, but restores the terminal first.
    private func quit() {
        beforeEnd()
        Self.restoreQuit()
        var quit = sigset_t()
        sigemptyset(&quit)
        sigaddset(&quit, SIGQUIT)
        pthread_sigmask(SIG_UNBLOCK, &quit, nil)
        raise(SIGQUIT)
    }

    /// Takes SIGQUIT back from Swift's runtime, which prints a crash report and goes on.
    static func restoreQuit() {
        if !isIgnored(SIGQUIT) { Glibc.signal(SIGQUIT, SIG_DFL) }
    }

    /// What people can do to end the program.
    static var howToEnd: String { isIgnored(SIGINT) ? "'kill \(getpid())'" : "Ctrl-C" }

    /// Blocks the signals listened to, for callers that create other threads before.
    @discardableResult
    static func blockSignals() -> sigset_t {
        var watched = sigset_t()
        sigemptyset(&watched)
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] where !isIgnored(signal) { sigaddset(&watched, signal) }
        pthread_sigmask(SIG_BLOCK, &watched, nil)
        return watched
    }

    /// The signal received; nil if there was none yet.
    var signal: Int32? {
        let signal = received.load(ordering: .acquiring)
        return signal == 0 ? nil : signal
    }

    /// Calls `action` on another thread when a signal comes, or at once if one has come.
    func onSignal(_ action: @escaping @Sendable () -> Void) {
        actions.withLock { $0.append(action) }
        if signal != nil { action() }
    }

    /// While `work` is there after a first signal, a second one gives it up, and only a third ends the program at once.
    func offer(_ work: OptionalWork) { optional.offer(work) }

    /// Calls `action` before a second signal ends the program at once.
    func onEnd(_ action: @escaping @Sendable () -> Void) { lastActions.withLock { $0.append(action) } }

    /// The failure for an error. A call given up because of a signal fails as that signal.
    func failure(_ error: some FailureReason) -> Failure {
        let failure = error.failure
        guard failure.isGivenUp, let signal else { return failure }
        return .interrupted(signal: signal, isBeforeFrames: true)
    }

    /// The exit status of a program that was stopped and has cleaned up. Ctrl-C is the normal way to end a recording,
    /// so it counts as success; for other signals the status names the signal, as in shells.
    var exitStatus: Int32 {
        guard let signal, signal != SIGINT else { return 0 }
        return 128 + signal
    }
}

private func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    return sigaction(signal, nil, &action) == 0
        && unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1  // SIG_IGN
}
