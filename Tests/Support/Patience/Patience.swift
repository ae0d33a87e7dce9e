// SPDX-License-Identifier: MIT
// How long tests and their gear wait before they treat something as hung.

import Glibc

/// A minute; ten under a sanitizer, where programs are many times slower and concurrent tests delay each other.
package enum Patience {
    /// In seconds.
    package static var seconds: Int { getenv("LIVECAP_SANITIZER") == nil ? 60 : 600 }
    /// The time after which a wait is given up.
    package static var span: Duration { .seconds(seconds) }
    /// In seconds, for background work, which yields to everything else and waits until concurrent tests are done.
    package static var backgroundSeconds: Int { 10 * seconds }
    /// For `poll(2)`.
    package static var milliseconds: Int32 { Int32(1000 * seconds) }
    /// For `alarm(2)`, which ends a process that hangs.
    package static var alarm: UInt32 { UInt32(seconds) }
}

/// Something that a test waited for did not come.
package struct WaitedInVain: Error, Hashable, CustomStringConvertible {
    /// Its name.
    package let what: String

    /// What is said of it.
    package var description: String { "\(what) did not come" }
}

/// Waits until `condition` holds, looking again every few milliseconds.
/// - Throws: `WaitedInVain`, which names `what`, and what `condition` throws.
package func eventually(
    _ what: String, within span: Duration = Patience.span, _ condition: () throws -> Bool
) throws {
    let deadline = ContinuousClock.now + span
    while try !condition() {
        guard ContinuousClock.now < deadline else { throw WaitedInVain(what: what) }
        usleep(5_000)
    }
}
