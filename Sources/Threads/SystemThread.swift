// SPDX-License-Identifier: MIT
// A thread of our own, named, outside Swift's cooperative pool, which must never be blocked.

import CSystem
import Glibc

/// A joinable thread: `pthread_create(3)`.
public final class SystemThread: @unchecked Sendable {  // the handle is written once, before anybody else sees it
    private let handle: pthread_t

    private final class Body {
        let name: String
        let run: @Sendable () -> Void
        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    /// Starts `body` on a new thread whose name shows in `ps -L` and debuggers (15 bytes at most).
    ///
    /// The thread takes no signals but those of its own faults: who waits for a signal can rely on getting it, whichever
    /// threads were there before.
    public init(name: String, _ body: @escaping @Sendable () -> Void) throws(SystemShortage) {
        var thread = pthread_t()
        let box = Unmanaged.passRetained(Body(name: name, run: body))
        // Blocked before the thread is there, so that there is no moment in which it would take one.
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

    /// Waits until the body has returned. Once only.
    public func join() {
        pthread_join(handle, nil)
    }

    /// Lets it end by itself, instead of joining it. Once only.
    public func detach() {
        pthread_detach(handle)
    }

    /// Whether it is the one that asks.
    public var isCurrent: Bool { pthread_equal(handle, pthread_self()) != 0 }
}
