// SPDX-License-Identifier: MIT
// How long a test may take.

import Glibc
import Testing

extension TimeLimitTrait.Duration {
    /// Long, because the clock also runs while a test waits for its turn, and a thousand others may come first.
    static var usual: Self { .minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60) }
    static var long: Self { .minutes(getenv("LIVECAP_SANITIZER") == nil ? 30 : 90) }
}
