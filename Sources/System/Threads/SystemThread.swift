// SPDX-License-Identifier: MIT
// A named thread of our own, outside Swift's cooperative pool, whose threads must never be blocked.

import Glibc
import LivecapCSystem

/// A joinable thread: `pthread_create(3)`.
package final class SystemThread: @unchecked Sendable {  // safe: the handle is written once, before the value is shared
    private let handle: pthread_t

    private final class Body {
        let name: String
        let run: @Sendable () -> Void
        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    /// Starts `body` on a new thread whose name shows in `ps -L` and debuggers (at most 15 bytes).
    ///
    /// The thread receives no signals except its own faults, unless `body` unblocks others. Code that waits for a
    /// signal can therefore rely on receiving it, whichever threads already exist.
    package init(name: String, _ body: @escaping @Sendable () -> Void) throws(SystemShortage) {
        var thread = pthread_t()
        let box = Unmanaged.passRetained(Body(name: name, run: body))
        // Block signals before the thread exists, so that it never has a chance to receive one.
        var (others, before) = (sigset_t(), sigset_t())
        sigfillset(&others)
        for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS] { sigdelset(&others, fault) }
        pthread_sigmask(SIG_BLOCK, &others, &before)
        let result = pthread_create(
            &thread, nil,
            { argument in
                let body = Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue()
                _ = lc_thread_name(body.name)
                body.run()
                return nil
            }, box.toOpaque())
        pthread_sigmask(SIG_SETMASK, &before, nil)
        guard result == 0 else {
            box.release()
            throw SystemShortage(call: "pthread_create", errno: result)
        }
        handle = thread
    }

    /// Waits until the body has returned. Call at most once.
    package func join() {
        pthread_join(handle, nil)
    }

    /// Lets the thread end by itself, instead of joining it. Call at most once.
    package func detach() {
        pthread_detach(handle)
    }

    /// Whether this is the calling thread.
    package var isCurrent: Bool { pthread_equal(handle, pthread_self()) != 0 }
}
