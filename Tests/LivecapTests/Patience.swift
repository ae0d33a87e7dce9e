// SPDX-License-Identifier: MIT
// How long tests wait before they count as hanging.

import Glibc
import Testing

/// A minute. Under a sanitizer more: programs are many times slower there, and tests that run beside each other wait for each other.
enum Patience {
    static var seconds: Int { getenv("LIVECAP_SANITIZER") == nil ? 60 : 600 }
    static var milliseconds: Int32 { Int32(1000 * seconds) }
}

extension TimeLimitTrait.Duration {
    static var usual: Self { .minutes(Patience.seconds / 60) }
    static var long: Self { .minutes(3 * Patience.seconds / 60) }
}
