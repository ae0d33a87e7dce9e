// SPDX-License-Identifier: MIT
// How long tests may take before they count as hanging.

import Glibc
import Testing

extension TimeLimitTrait.Duration {
    /// A minute. Under a sanitizer more: many times slower, suites that run beside each other wait for each other's threads.
    static var usual: Self { .minutes(getenv("LIVECAP_SANITIZER") == nil ? 1 : 10) }
    /// For what does many shots over and over.
    static var long: Self { .minutes(getenv("LIVECAP_SANITIZER") == nil ? 3 : 30) }
}
