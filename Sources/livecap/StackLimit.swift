// SPDX-License-Identifier: MIT
// The stacks of a process that was started with small ones.

import Glibc
import LivecapFiles

/// The limit of stacks (`ulimit -s`). The first thread may use so much, and every other thread gets a stack of this
/// size. Swift and the libraries need more than a small limit allows, and code that overruns its stack ends the
/// program.
enum StackLimit {
    /// What Linux gives by default.
    private static let usual: rlim_t = 8 << 20
    /// Every command works with this much.
    private static let least: rlim_t = 512 << 10

    /// Starts the program anew with stacks of the usual size if its own are smaller, because the sizes are set at the
    /// start. Returns what keeps it from working, which is a limit that this user may not raise.
    static func raise() -> Failure? {
        let kind = __rlimit_resource_t(UInt32(RLIMIT_STACK.rawValue))
        var limit = rlimit()
        guard getrlimit(kind, &limit) == 0, limit.rlim_cur < usual else { return nil }
        let given = limit.rlim_cur
        limit = rlimit(rlim_cur: usual, rlim_max: max(limit.rlim_max, usual))
        if setrlimit(kind, &limit) != 0 {
            // Without privileges, up to the hard limit.
            guard getrlimit(kind, &limit) == 0 else { return nil }
            limit.rlim_cur = limit.rlim_max
            if limit.rlim_cur > given { setrlimit(kind, &limit) }
        }
        // By its own name, which is shown as the process's.
        if limit.rlim_cur > given, let path = realpath("/proc/self/exe", nil) { execv(path, CommandLine.unsafeArgv) }
        return given < least ? .smallStacks(bytes: Int(given)) : nil
    }
}
