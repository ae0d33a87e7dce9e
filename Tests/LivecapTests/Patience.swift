// SPDX-License-Identifier: MIT
// How long tests wait before they count as hanging.

import Glibc
import Testing

/// A minute. Under a sanitizer more: programs are many times slower there, and tests that run beside each other wait for each other.
enum Patience {
    static var seconds: Int { getenv("LIVECAP_SANITIZER") == nil ? 60 : 600 }
    /// For what gives way to everything else: it has to wait until the tests beside it are done.
    static var backgroundSeconds: Int { 10 * seconds }
    static var milliseconds: Int32 { Int32(1000 * seconds) }
}

extension TimeLimitTrait.Duration {
    /// Long: the clock runs while a test waits for its turn, and a thousand others may be before it.
    static var usual: Self { .minutes(10) }
    static var long: Self { .minutes(30) }
}
