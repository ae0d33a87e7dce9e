// SPDX-License-Identifier: MIT
// The system has no more of something that livecap's threads need.

import Glibc

/// No thread, or no descriptor, is to be had: more of them, or more address space, than this process or its user may have.
public struct SystemShortage: Error, Hashable, Sendable {
    /// The call that failed.
    public let call: String
    /// The system's word for it.
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
