// SPDX-License-Identifier: MIT
// What a server grants its clients.

import LivecapFrames

/// Limits that keep one client from taking what belongs to the others.
package struct HTTPLimits: Hashable, Sendable {
    /// The number of connections at once. Near it, the oldest that have not asked for anything are closed.
    package var connections = 1000
    /// How long a client may take to send a request, from its first byte on or from the connection's beginning.
    package var requestTime = Duration.seconds(10)
    /// How long a connection may rest between requests.
    package var idleTime = Duration.seconds(30)
    /// How long a client that is being answered may take nothing.
    package var stallTime = Duration.seconds(20)
    /// The size of a request's body.
    package var body = 65536
    /// The memory in which a stream's bytes wait for the system to take them.
    package var streamBlock = 65536

    /// The usual limits.
    package init() {}
}
