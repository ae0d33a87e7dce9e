// SPDX-License-Identifier: MIT
// A value behind a lock that the thread sanitizer sees, too.

import CSystem
import Synchronization

/// A `Mutex` for state that many threads contend for.
///
/// A contended `Mutex` is handed over inside a library of the toolchain that is not instrumented, so that the thread sanitizer
/// takes what is guarded by it for a race. This one tells the sanitizer when the lock is taken and given back; without it, it is a
/// `Mutex` and nothing more. Accesses without the lock are reported as ever.
package struct Guarded<Value: ~Copyable>: ~Copyable, Sendable {
    private let mutex: Mutex<Value>

    /// A value nobody has locked.
    package init(_ value: consuming sending Value) { mutex = Mutex(value) }

    /// Lends the value to `body`, and to nobody else meanwhile.
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { value throws(Failure) in
            // The value lies within the lock and never moves, so its address is the lock's name.
            let lock = withUnsafeMutablePointer(to: &value) { UnsafeRawPointer($0) }
            lc_lock_taken(lock)
            defer { lc_lock_given(lock) }
            return try body(&value)
        }
    }
}
