// SPDX-License-Identifier: MIT
// A mutex-protected value whose lock the thread sanitizer understands.

import LivecapCSystem
import Synchronization

/// A `Mutex` for state that many threads contend for.
///
/// A contended `Mutex` is handed over inside a toolchain library that is not instrumented, so the thread sanitizer
/// reports accesses to the guarded value as races. This type tells the sanitizer when the lock is taken and released.
/// Without the sanitizer it behaves just like a `Mutex`. Accesses without the lock are still reported.
package struct Guarded<Value: ~Copyable>: ~Copyable, @unchecked Sendable {  // safe: `name` is never read or written
    private let mutex: Mutex<Value>
    /// The address that identifies the lock to the sanitizer. No other lock uses it.
    private let name = LockName()

    /// Creates an unlocked value.
    package init(_ value: consuming sending Value) { mutex = Mutex(value) }

    /// Runs `body` with exclusive access to the value.
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        let name = Unmanaged.passUnretained(name).toOpaque()
        return try mutex.withLock { value throws(Failure) in
            // Before the value is accessed.
            lc_lock_taken(name)
            defer { lc_lock_given(name) }
            return try body(&value)
        }
    }
}

/// An object used only for its address. `Guarded` cannot free an address itself: Swift 6.3 with optimisation does not
/// call the `deinit` of a generic noncopyable value.
private final class LockName {}
