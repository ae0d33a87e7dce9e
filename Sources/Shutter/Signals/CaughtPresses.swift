// SPDX-License-Identifier: MIT
// The presses that a process's signal handler caught, read by one shutter at a time.

import LivecapCSystem
import LivecapFrames
import LivecapThreads
import Synchronization

/// The right to read the presses that arrive as signals. A process has one, because a signal has one handler.
final class CaughtPresses: Sendable {
    struct Process {
        var isTaken = false
        var isInstalled = false
        /// Whether the handler outlives its shutters.
        var staysInstalled = false
        /// Never released, because a handler may run long after the shutter is closed.
        var wake: WakeEvent?
    }
    static let process = Guarded(Process())

    /// Becomes readable when there are presses to read. It stays open until the process ends.
    let wake: WakeEvent
    /// The presses that came before, delivered to nobody.
    let early: Int
    private let droppedCount = Atomic<Int>(0)

    /// Installs the handler, unless it is installed, and counts the presses that came before.
    ///
    /// Throws `signalsInUse` if another object has the right, or `failed` if the system has no descriptor left.
    init() throws(ShutterError) {
        wake = try Self.process.withLock { process throws(ShutterError) in
            guard !process.isTaken else { throw .signalsInUse }
            let wake: WakeEvent
            if let made = process.wake {
                wake = made
            } else {
                do throws(SystemShortage) { wake = try WakeEvent() } catch {
                    throw .failed("signals", call: error.call, errno: error.errno)
                }
                process.wake = wake
                lc_presses_wake(wake.descriptor)
            }
            process.install()
            process.isTaken = true
            return wake
        }
        // Signals that were blocked by the process's parent wait for a thread that takes them.
        lc_presses_flush()
        var early = Int(lc_presses_take_dropped())
        var press = lc_press()
        while lc_presses_next(&press) != 0 { early += 1 }
        self.early = early
    }

    /// Installs the handler for the rest of the process.
    static func installForGood() {
        process.withLock { process in
            process.install()
            process.staysInstalled = true
        }
    }

    /// The time of the next press; nil if there is none. For one thread at a time.
    func next() -> Timestamp? {
        droppedCount.wrappingAdd(Int(lc_presses_take_dropped()), ordering: .relaxed)
        var press = lc_press()
        guard lc_presses_next(&press) != 0 else { return nil }
        return Timestamp(nanoseconds: press.time_ns) - .milliseconds(Int64(max(0, press.value)))
    }

    /// The number of presses that found no room in the handler's queue, as of the last call of `next`.
    var dropped: Int { droppedCount.load(ordering: .relaxed) }

    /// Gives up the right and, unless the handler stays, makes the signals do again what they did before. To be called
    /// once, after the last call of `next`.
    func end() {
        Self.process.withLock { process in
            process.isTaken = false
            guard !process.staysInstalled else { return }
            lc_presses_release()
            process.isInstalled = false
        }
    }
}

extension CaughtPresses.Process {
    fileprivate mutating func install() {
        guard !isInstalled else { return }
        lc_presses_catch()
        isInstalled = true
    }
}
