// SPDX-License-Identifier: MIT
// A value behind a lock that the thread sanitizer sees, too.

import CSystem
import Synchronization

/// A `Mutex` for state that many threads contend for.
///
/// A contended `Mutex` is handed over inside a library of the toolchain that is not instrumented, so that the thread sanitizer
/// takes what is guarded by it for a race. This one tells the sanitizer when the lock is taken and given back; without it, it is a
/// `Mutex` and nothing more. Accesses without the lock are reported as ever.
package struct Guarded<Value: ~Copyable>: ~Copyable, @unchecked Sendable {  // the name is never read or written
    private let mutex: Mutex<Value>
    /// What the sanitizer knows the lock by: an address that is the lock's alone.
    private let name = LockName()

    /// A value nobody has locked.
    package init(_ value: consuming sending Value) { mutex = Mutex(value) }

    /// Lends the value to `body`, and to nobody else meanwhile.
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        let name = Unmanaged.passUnretained(name).toOpaque()
        return try mutex.withLock { value throws(Failure) in
            // Before the value is looked at.
            lc_lock_taken(name)
            defer { lc_lock_given(name) }
            return try body(&value)
        }
    }
}

/// An object that is nothing but its address: a `deinit` of a generic value that cannot be copied, as `Guarded` is, is not called
/// when Swift 6.3 optimises.
private final class LockName {}
