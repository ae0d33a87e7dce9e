// SPDX-License-Identifier: MIT
// A Unix socket as a shutter: programs request photos with one line of JSON each, and receive the results.

import Glibc
import LivecapFiles
import LivecapFrames
import Synchronization

/// Taps by other programs of the same user.
///
/// A client connects to a Unix stream socket and sends requests, one JSON object per line (`SocketRequest`). It
/// receives lines of JSON. A line that is not a valid request is answered with an `error`, a `code` and a `hint`, and
/// the client stays connected. When a client closes its sending half, bytes after its last line end count as a line. A
/// client that leaves with the button pressed releases it.
///
/// Only root and the user who runs the program may connect: the socket has mode 600 from the start, it is in a folder
/// with mode 700 unless a path is given, and each client's user id is checked. At most `maxClients` can be connected
/// at a time.
///
/// There is no sequence of requests, because each wants an answer, and therefore exactly one reader.
public final class SocketShutter: Sendable {
    /// The maximum number of clients. Additional ones receive an error and are disconnected.
    public static let maxClients = 32
    /// The maximum number of bytes that may wait for a client. A client that leaves more unread is dropped.
    public static let maxUnreadBytes = 1 << 18

    /// The path that clients connect to.
    public let path: String
    private let thread: ShutterThread

    /// The socket's path if none is given: `$XDG_RUNTIME_DIR/livecap/shutter.sock`, the same under `/run/user/UID`, or
    /// else `/tmp/livecap-UID/shutter.sock`. The first of the two runtime folders that exists and belongs to this user
    /// is used.
    public static var defaultPath: String { defaultAddress.path }

    private static var defaultAddress: SocketAddress {
        SocketAddress(runtimeDirectory: pathInEnvironment("XDG_RUNTIME_DIR"), user: geteuid(), name: "shutter.sock")
    }

    /// Starts listening at `path` (default: `defaultPath`). A stale socket there is replaced; a live one is an error.
    /// `onRequest` is called on the shutter's thread for one request at a time and should return quickly.
    ///
    /// Throws `ShutterError`: `socketInUse` if another program listens there, `notASocket` if a file has the name,
    /// `pathTooLong` if the path has more than 107 bytes, `unsafeDirectory` if other users could replace the default
    /// socket, and `failed` if a system call fails otherwise.
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

    /// Disconnects all clients, giving them half a second to receive pending replies, and removes the socket. After it
    /// returns `onRequest` is not called any more, unless `close` was called from `onRequest` itself.
    public func close() { thread.close() }
}
