// SPDX-License-Identifier: MIT
// The address space of a process, if it is limited.

import Glibc
import LivecapCSystem

/// What a limit on the process's address space (`ulimit -v`) leaves. Swift aborts the program when an allocation fails,
/// so the space is checked before it is needed.
package enum AddressSpace {
    /// What libraries and the runtime use beside the planned memory.
    private static let libraries = 48 << 20
    /// What is allocated before memory is planned: a scene's tables, a file's index.
    private static let beginning = 16 << 20
    /// What everything else may allocate while memory is taken whose size was known before.
    private static let meanwhile = 8 << 20

    /// Bytes available for planning beside the stacks of `threads` more threads; `Int.max` without a limit.
    package static func room(besideThreads threads: Int) -> Int { left(threads).map { max($0 - libraries, 0) } ?? .max }

    /// Bytes that can still be allocated; `Int.max` without a limit. The limit may be lowered while the program runs.
    package static var left: Int { left(0) ?? .max }

    /// Whether an allocation of so many bytes leaves enough for whatever else is allocated meanwhile.
    package static func hasRoom(for bytes: Int) -> Bool { left - meanwhile >= bytes }

    /// Throws if there is not even enough for a command to begin.
    package static func requireRoom() throws(SystemShortage) {
        if let left = left(1), left < beginning { throw SystemShortage(call: "pthread_create", errno: ENOMEM) }
    }

    private static func left(_ threads: Int) -> Int? {
        let room = lc_address_room(Int32(threads))
        return room < 0 ? nil : Int(room)
    }
}
