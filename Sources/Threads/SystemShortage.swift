// SPDX-License-Identifier: MIT
// The error for when the system runs out of a resource that livecap's threads need.

import Glibc

/// A thread or descriptor is not available, because this process or its user has reached a limit (threads, descriptors,
/// or address space).
public struct SystemShortage: Error, Hashable, Sendable {
    /// The call that failed.
    public let call: String
    /// The errno of the failed call.
    public let errno: Int32

    init(call: String, errno: Int32) { (self.call, self.errno) = (call, errno) }

    /// What went wrong, in one line.
    public var message: String {
        let what = call == "eventfd" ? "descriptor" : "thread"
        return "the system has no \(what) left (\(call): \(String(cString: strerror(errno))))"
    }

    /// What to do next, in one line.
    public var hint: String {
        call == "eventfd"
            ? "close other programs' files, or raise 'ulimit -n'"
            : "end other programs, raise 'ulimit -u' or 'ulimit -v', or take fewer --threads"
    }
}
