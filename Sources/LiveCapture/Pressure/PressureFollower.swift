// SPDX-License-Identifier: MIT
// The pressure on the machine, for one run of a session after the other.

import LivecapThreads

/// Follows the pressure from the first time on that somebody asks, and informs the desk of the newest run.
final class PressureFollower: Sendable {
    private struct Listener: Sendable {
        weak var desk: Desk?
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
                listener.content.withLock { $0.desk }?.pressureChanged(pressure)
                events.add(.systemPressureChanged(pressure))
            }
        }
    }

    /// Informs this desk from here on, and now of what is known.
    func inform(_ desk: Desk) {
        listener.content.withLock { $0.desk = desk }
        if let monitor = made.withLock({ $0 }) { desk.pressureChanged(monitor.current) }
    }

    /// What follows the pressure. Nil if the system has no thread left for it.
    var monitor: SystemPressureMonitor? {
        made.withLock { made in
            if made == nil { made = make() }
            return made
        }
    }
}
