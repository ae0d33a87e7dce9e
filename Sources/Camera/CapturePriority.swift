// SPDX-License-Identifier: MIT
// The priority of threads that take frames from a driver.

import Glibc
import LivecapCSystem

/// The priority of the calling thread, if it takes frames from a source.
enum CapturePriority {
    /// Gives it real-time priority. Returns whether the system permits that.
    static func raise() -> Bool { lc_thread_realtime(urgent) == 0 }

    /// Gives it ordinary priority. Probing an absent device, and finding out who uses it, is slow, and must not keep
    /// others from the processor.
    static func rest() {
        var parameters = sched_param()
        // With the flag that `lc_thread_realtime` has set, which only privileged threads may clear.
        sched_setscheduler(0, SCHED_OTHER | resetOnFork, &parameters)
    }

    /// `SCHED_RESET_ON_FORK`.
    private static let resetOnFork: Int32 = 0x4000_0000

    /// Above ordinary threads, and far below the kernel's own real-time threads.
    private static let urgent: Int32 = 10
}
