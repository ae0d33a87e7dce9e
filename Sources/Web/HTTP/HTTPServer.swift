// SPDX-License-Identifier: MIT
// An HTTP server: one thread for all connections.

import Glibc
import LivecapCHTTP
import LivecapThreads

/// Answers HTTP requests at a socket, all on one thread of its own.
///
/// The handler is called on that thread, and must not wait: what takes long is done elsewhere, and sends its answer
/// when it has it.
package final class HTTPServer: Sendable {
    /// Answers a request.
    package typealias Handler = @Sendable (HTTPRequest, HTTPReply) -> Void

    private let inbox: HTTPInbox
    private let thread: SystemThread
    private let isClosed = Guarded(false)

    /// A private key and a certificate with its chain, as PEM texts.
    package struct Identity: Sendable {
        package var key: String
        package var certificate: String

        package init(key: String, certificate: String) { (self.key, self.certificate) = (key, certificate) }
    }

    /// Serves at a listening socket, which it closes at its end. With an `identity`, all connections are encrypted.
    package init(
        at socket: Int32, limits: HTTPLimits = HTTPLimits(), identity: Identity? = nil, _ handler: @escaping Handler
    ) throws(HTTPError) {
        if let reason = HTTPLoop.lack {
            Glibc.close(socket)
            throw .noLibrary(reason)
        }
        if identity != nil, lc_http_has_tls() == 0 {
            Glibc.close(socket)
            throw .noEncryption
        }
        let start: HTTPLoop.Start
        do throws(SystemShortage) {
            inbox = try HTTPInbox(limit: limits.unsentBytes)
            start = HTTPLoop.Start()
            let (inbox, start) = (inbox, start)
            // Where the library fails, it may have closed the socket, or not: it gets one of its own.
            let own = fcntl(socket, F_DUPFD_CLOEXEC, 3)
            thread = try SystemThread(name: "web") {
                let loop = HTTPLoop(inbox, limits, handler)
                guard loop.start(at: own, identity) else { return start.decide(false) }
                start.decide(true)
                loop.run()
            }
        } catch {
            Glibc.close(socket)
            throw .shortage(error)
        }
        let hasSucceeded = start.hasSucceeded
        Glibc.close(socket)
        guard hasSucceeded else {
            thread.join()
            isClosed.withLock { $0 = true }
            throw identity == nil ? .cannotServe : .badIdentity
        }
    }

    /// Closes all connections, and returns once that is done.
    package func close() {
        let wasClosed = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return isClosed
        }
        guard !wasClosed else { return }
        inbox.stop()
        thread.join()
    }

    deinit { close() }
}
