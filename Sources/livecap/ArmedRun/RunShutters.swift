// SPDX-License-Identifier: MIT
// All sources of taps while livecap is armed.

import Glibc
import LivecapCommandTable
import LivecapFiles
import LivecapFrames
import Shutter

/// The shutters, each on a thread of its own, all feeding one inbox.
struct RunShutters {
    /// The button numbers of presses by terminal or pipe, signal and socket; those of a device's keys follow.
    private enum Button { static let (terminal, signal, socket, device) = (0, 1, 2, 16) }

    private let signals: SignalShutter
    private let terminal: TerminalShutter?
    private let socket: SocketShutter?
    private let device: InputDeviceShutter?
    private let hasWindow: Bool

    /// Blocks the signals that end or stop livecap. To be called before any other thread is created, because threads
    /// inherit the mask.
    static func blockSignals() {
        Interruption.blockSignals()
        guard isatty(STDIN_FILENO) == 1 else { return }
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGTSTP, SIGCONT] { sigaddset(&signals, signal) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// With `isOfWindow`, the terminal is not read, and a socket is opened only if it is named.
    init(_ arguments: Arguments, _ inbox: RunInbox, isOfWindow: Bool = false) throws(Failure) {
        hasWindow = isOfWindow || arguments[RunOptions.view]
        do throws(ShutterError) {
            signals = try SignalShutter { inbox.putClick(of: Button.signal, $0) }
            device =
                if let path = arguments[RunOptions.shutter] {
                    try InputDeviceShutter(
                        path: path, keys: arguments.keys, isExclusive: arguments[RunOptions.grab],
                        onKey: { key, event in inbox.put(.button(Button.device + Int(key.code), event)) },
                        onEnd: { inbox.put(.ended($0)) })
                } else { nil }
            socket =
                arguments[RunOptions.noSocket] || isOfWindow && !arguments.contains(RunOptions.socket)
                ? nil
                : try SocketShutter(path: arguments[RunOptions.socket]) { request, reply in
                    if !inbox.put(.request(request, reply)) { SocketReplies(reply, request.id).refuse(.overloaded) }
                }
            let isTerminal = isatty(STDIN_FILENO) == 1
            terminal =
                !isOfWindow && Self.standardInputTells && arguments[SourceOptions.replay] != "-"
                ? try TerminalShutter(
                    onEvent: { inbox.putClick(of: Button.terminal, $0) },
                    onKey: { key in
                        // Any other line of a pipe is a tap.
                        if isTerminal || ArmedRun.keys.contains(key) {
                            inbox.put(.key(key))
                        } else {
                            inbox.putClick(of: Button.terminal, .pressed(at: .now))
                        }
                    },
                    onEnd: { inbox.put(.ended($0)) }) : nil
        } catch { throw .shutter(error) }
    }

    /// The button number of a client's press.
    static var socketButton: Int { Button.socket }

    /// How wrong the time of a button's press may be. The kernel reports the time of a device's key; all other presses
    /// are timed by a thread that had to wake up first.
    static func tapError(of button: Int) -> Duration { button >= Button.device ? .zero : wakeUp }

    /// The maximum time to wake up if a processor is available. On a busy machine it may take longer, by an unknown
    /// time.
    static let wakeUp = Duration.milliseconds(1)

    /// The number of presses by signal that came faster than they could be passed on.
    var droppedPresses: Int { signals.droppedPresses }

    /// Notes about presses that came before anything listened.
    var earlyPresses: [String] {
        [(signals.earlyPresses, "signal"), (terminal?.earlyPresses ?? 0, "key")].filter { $0.0 > 0 }.map { count, way in
            "\(counted(count, "tap")) by \(way) came before livecap was ready and \(count == 1 ? "was" : "were") not taken"
        }
    }

    /// The ways to take a picture, for people.
    var words: String {
        var ways = hasWindow ? ["space in the window"] : []
        if let terminal { ways.append(terminal.isTerminal ? "Enter or space" : "a line on standard input") }
        ways.append("'kill -USR1 \(getpid())'")
        if let device { ways.append("a key of \(device.name ?? "the input device")") }
        if let socket { ways.append("a line to \(socket.path)") }
        let ends =
            terminal?.isTerminal == true || terminal == nil && hasWindow
            ? "; q ends" : "; \(Interruption.howToEnd) ends"
        return "\(ways.joined(separator: ", or ")) takes a picture\(ends)"
    }

    /// Accepts no more taps, and restores the terminal.
    func close() {
        signals.close()
        terminal?.close()
        device?.close()
        socket?.close()
    }

    /// Restores the terminal when the program is about to end without closing anything.
    var restoreTerminal: @Sendable () -> Void {
        let terminal = terminal
        return { terminal?.restoreTerminal() }
    }

    /// Whether standard input is a terminal, pipe, socket or file, and not the null device that services have.
    static var standardInputTells: Bool {
        var status = stat()
        guard fstat(STDIN_FILENO, &status) == 0 else { return false }
        return status.st_mode & S_IFMT != S_IFCHR || isatty(STDIN_FILENO) == 1
    }
}

extension RunInbox {
    /// Adds the press of a button that is always released at once, as one input: a press alone would become a series
    /// if it was long ago.
    fileprivate func putClick(of button: Int, _ event: ShutterEvent) {
        if case .pressed(let time) = event { put(.click(button, at: time)) }
    }
}

extension Arguments {
    fileprivate var keys: Set<InputKey>? {
        let keys = all(RunOptions.shutterKey)
        return keys.isEmpty ? nil : Set(keys)
    }
}
