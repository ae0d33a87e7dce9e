// SPDX-License-Identifier: MIT
// The pressure on the machine, for one run of a session after the other.

import LivecapStreams
import LivecapThreads

/// Follows the pressure once somebody has asked for it. Reports it to the desk of the newest run, and to the sinks that
/// make pictures of its frames.
final class PressureFollower: Sendable {
    private struct Listener: Sendable {
        weak var desk: Desk?
        weak var sinks: HostSinks?

        func note(_ pressure: SystemPressure) {
            desk?.pressureChanged(pressure)
            sinks?.limit(to: desk?.maxRate(at: pressure.level))
        }
    }

    private let listener: SharedListener
    private let made = Guarded<SystemPressureMonitor?>(nil)
    private let make: @Sendable () -> SystemPressureMonitor?

    private final class SharedListener: Sendable {
        let content = Guarded(Listener())
    }

    init(root: String, _ events: EventLog<SessionEvent>) {
        let listener = SharedListener()
        self.listener = listener
        make = {
            try? SystemPressureMonitor(root: root) { pressure in
                listener.content.withLock { $0.note(pressure) }
                events.add(.systemPressureChanged(pressure))
            }
        }
    }

    /// Informs these from here on, and now of what is known.
    func inform(_ desk: Desk, _ sinks: HostSinks) {
        let now = Listener(desk: desk, sinks: sinks)
        let monitor = made.withLock { $0 }
        // With the lock, so that a newer report is not undone.
        listener.content.withLock { listener in
            listener = now
            if let monitor { now.note(monitor.current) }
        }
    }

    /// What follows the pressure. Nil if the system has no thread left for it.
    var monitor: SystemPressureMonitor? {
        made.withLock { made in
            if made == nil { made = make() }
            return made
        }
    }
}
