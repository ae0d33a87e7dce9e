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

    /// The process may not use enough address space, however much memory is free.
    package static let addresses = SystemShortage(call: "mmap", errno: ENOMEM)

    /// What to do when a process may not open more files.
    package static let descriptorHint = "close other programs' files, or raise 'ulimit -n'"

    /// What went wrong, in one line.
    public var message: String {
        let what =
            switch call {
            case "eventfd": "descriptor"
            case "mmap": "address space"
            default: "thread"
            }
        return "the system has no \(what) left (\(call): \(String(cString: strerror(errno))))"
    }

    /// What to do next, in one line.
    public var hint: String {
        switch call {
        case "eventfd": Self.descriptorHint
        case "mmap": "raise 'ulimit -v', or take fewer --threads"
        default: "end other programs, raise 'ulimit -u' or 'ulimit -v', or take fewer --threads"
        }
    }
}
