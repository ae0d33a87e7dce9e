// SPDX-License-Identifier: MIT
// How long tests wait before they treat something as hung.

import Glibc

/// A minute; ten under a sanitizer, where programs are many times slower and concurrent tests delay each other.
enum Patience {
    static var seconds: Int { getenv("LIVECAP_SANITIZER") == nil ? 60 : 600 }
    static var milliseconds: Int32 { Int32(1000 * seconds) }
    /// For `alarm(2)`, which ends a process that hangs.
    static var alarm: UInt32 { UInt32(seconds) }
}
