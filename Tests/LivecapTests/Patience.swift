// SPDX-License-Identifier: MIT
// How long tests wait before they treat something as hung.

import Glibc
import Testing

/// A minute; ten under a sanitizer, where programs are many times slower and concurrent tests delay each other.
enum Patience {
    static var seconds: Int { getenv("LIVECAP_SANITIZER") == nil ? 60 : 600 }
    /// For background work, which yields to everything else and therefore waits until concurrent tests are done.
    static var backgroundSeconds: Int { 10 * seconds }
    static var milliseconds: Int32 { Int32(1000 * seconds) }
}

extension TimeLimitTrait.Duration {
    /// Long, because the clock also runs while a test waits for its turn, and a thousand others may come first.
    static var usual: Self { .minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60) }
    static var long: Self { .minutes(getenv("LIVECAP_SANITIZER") == nil ? 30 : 90) }
}
