// SPDX-License-Identifier: MIT
// Amounts of memory for people.

extension Int {
    /// This number of bytes in MiB, rounded up.
    package var mebibytes: Int { (self + (1 << 20) - 1) >> 20 }
}
