// SPDX-License-Identifier: MIT
// How this code was compiled.

/// The present build.
package enum Build {
    /// Whether the compiler optimised it: true of release builds, false of debug builds.
    package static var isOptimised: Bool {
        var isOptimised = true
        assert(
            {
                isOptimised = false
                return true
            }())
        return isOptimised
    }
}
