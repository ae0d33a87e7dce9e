// SPDX-License-Identifier: MIT
// A Unix socket as a shutter: programs ask for photos, a line of JSON each, and are told what comes of it.

import Frames
import Glibc
import Synchronization

/// Taps by other programs of the same user.
///
/// A client connects to a Unix stream socket and sends requests, one JSON object a line (`SocketRequest`); it is sent lines of
/// JSON. A line that is no request is answered with an `error`, a `code` and a `hint`, and the client stays. What it sent
/// before closing its sending half counts as a line even without an end. A client that leaves while it has the button pressed
/// lets go of it.
///
/// Only the user who runs the program, and root, may connect: the socket has mode 600 from its first moment, lies in a folder
/// with mode 700 unless a path is given, and each client is asked who it is. Up to `mostClients` at a time.
public final class SocketShutter: Sendable {
    /// How many clients there can be; another one is told so and sent away.
    public static let mostClients = 32
    /// How many bytes may wait for a client; one that leaves more unread is dropped.
    public static let mostPending = 1 << 18

    /// Where clients connect.
    public let path: String
    private let thread: ShutterThread

    /// Where the socket lies if no path is given: `$XDG_RUNTIME_DIR/livecap/shutter.sock`, the same below `/run/user/UID`, or
    /// else `/tmp/livecap-UID/shutter.sock`; the first whose parent is this user's.
    public static var defaultPath: String { defaultAddress.path }

    private static var defaultAddress: SocketAddress {
        SocketAddress(runtimeDirectory: getenv("XDG_RUNTIME_DIR").map { String(cString: $0) }, user: geteuid())
    }

    /// Begins to listen, at `path` or the default one. A socket left behind there is replaced; one that is listened at is an
    /// error. `onRequest` is called on the shutter's thread, for one request after the other, and should soon return.
    public init(
        path: String? = nil, onRequest: @escaping @Sendable (SocketRequest, SocketReply) -> Void
    ) throws(ShutterError) {
        let address = path.map { SocketAddress(path: $0) } ?? Self.defaultAddress
        let socket = try ListeningSocket(at: address)
        self.path = address.path
        thread = try ShutterThread(name: "tap socket") { stop in
            var loop = SocketLoop(socket, stop: stop, onRequest: onRequest)
            loop.run()
        }
    }

    /// Sends away all clients, each with what it was told before if it takes that within half a second, and takes the socket
    /// away. When it returns, `onRequest` is not called any more, unless it was
    /// called by `onRequest` itself.
    public func close() { thread.close() }
}
