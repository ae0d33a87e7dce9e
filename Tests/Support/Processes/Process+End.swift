// SPDX-License-Identifier: MIT
// Waits for the end of processes that tests start.

import Foundation
import Glibc

extension Process {
    /// Waits for the end of the process, which has been started. `waitUntilExit` may miss it when others end at the
    /// same time, and then waits for ever.
    package func awaitEnd() {
        while isRunning {
            var end = siginfo_t()
            // Leaves the status for Foundation, which may not have looked yet when this returns.
            _ = waitid(P_PID, id_t(processIdentifier), &end, WEXITED | WNOWAIT)
            sched_yield()
        }
    }
}
