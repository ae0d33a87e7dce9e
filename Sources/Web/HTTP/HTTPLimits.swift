// SPDX-License-Identifier: MIT
// What a server grants its clients.

import Glibc
import LivecapFrames

/// Limits that keep one client from taking what belongs to the others.
package struct HTTPLimits: Hashable, Sendable {
    /// The number of connections at once. Near it, the oldest that have not asked for anything are closed.
    package var connections = 2000
    /// How long a client may take to send a request, from its first byte on or from the connection's beginning.
    package var requestTime = Duration.seconds(10)
    /// How long a connection may rest between requests.
    package var idleTime = Duration.seconds(20)
    /// How long a client that is being answered may take nothing.
    package var stallTime = Duration.seconds(20)
    /// The size of a request's body.
    package var body = 4096
    /// The memory of all answers that their clients have not taken yet, except files, streams and what is small. Those
    /// that find none left are refused.
    package var unsentBytes = 32 << 20
    /// The memory in which a stream's bytes wait for the system to take them.
    package var streamBlock = 65536

    /// The usual limits.
    package init() {}

    /// With no more connections, and files for them, than this process may open files, less those that it needs itself.
    var possible: HTTPLimits {
        var (limits, files) = (self, rlimit())
        if getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &files) == 0 {
            // Each may be sent a file.
            limits.connections = min(connections, max(16, (Int(clamping: files.rlim_cur) - Self.ownFiles) / 2))
        }
        return limits
    }

    /// Cameras, libraries, files being sent.
    private static let ownFiles = 200

    /// Lets this process open as many files as the system allows it to.
    package static func allowFiles() {
        var files = rlimit()
        guard getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &files) == 0 else { return }
        files.rlim_cur = files.rlim_max
        setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &files)
    }
}
