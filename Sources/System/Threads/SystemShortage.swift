// SPDX-License-Identifier: MIT
// The error for when the system runs out of a resource that livecap's threads need.

import Glibc

/// A thread or descriptor is not available, because this process or its user has reached a limit (threads, descriptors,
/// or address space).
public struct SystemShortage: ExplainedError, Hashable, Sendable {
    /// The call that failed.
    public let call: String
    /// The errno of the failed call.
    public let errno: Int32

    init(call: String, errno: Int32) { (self.call, self.errno) = (call, errno) }

    /// The process may not use enough address space, however much memory is free.
    package static let addresses = SystemShortage(call: "mmap", errno: ENOMEM)

    /// What to do when a process may not open more files.
    package static let descriptorHint = "close open files, or raise 'ulimit -n'"

    /// What ran out.
    public enum Resource: String, Sendable {
        /// File descriptors: too many files are open.
        case descriptor
        /// Address space of the process.
        case addressSpace = "address space"
        /// Threads.
        case thread
    }

    /// The resource that the failed call needed.
    public var resource: Resource {
        switch call {
        case "eventfd": .descriptor
        case "mmap": .addressSpace
        default: .thread
        }
    }

    /// What went wrong, in one line.
    public var message: String {
        "the system has no \(resource.rawValue) left (\(call): \(String(cString: strerror(errno))))"
    }

    /// What to do next, in one line.
    public var hint: String {
        switch resource {
        case .descriptor: Self.descriptorHint
        case .addressSpace: "raise 'ulimit -v', or use fewer threads"
        case .thread: "end other programs, raise 'ulimit -u' or 'ulimit -v', or use fewer threads"
        }
    }
}
