// SPDX-License-Identifier: MIT
// How long tests may take before they count as hanging.

import Testing

extension TimeLimitTrait.Duration {
    /// Long: the clock runs while a test waits for its turn, and a thousand others may be before it.
    static var usual: Self { .minutes(10) }
    /// For what does many shots over and over.
    static var long: Self { .minutes(30) }
}
