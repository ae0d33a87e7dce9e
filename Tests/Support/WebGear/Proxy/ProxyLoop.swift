// SPDX-License-Identifier: MIT
// The proxy's thread: one poll for all connections.

import Glibc
import LivecapFrames

/// Passes bytes on until the board says to close. Used by one thread.
struct ProxyLoop: ~Copyable {
    private let listener: TCPListener
    private let board: ProxyBoard
    private let server: UInt16
    private var links: [ProxyLink] = []

    init(_ listener: TCPListener, _ board: ProxyBoard, server: UInt16) {
        (self.listener, self.board, self.server) = (listener, board, server)
    }

    mutating func run() {
        while true {
            board.wake.clear()
            let state = board.state
            if state.isClosing || state.breaksDone < state.breaksAsked { breakAll(state.breaksAsked) }
            if state.isClosing { return }
            accept(isRefusing: state.isRefusing)
            for link in links { link.step(state) }
            let passed = links.reduce((0, 0)) { sums, link in
                let passed = link.takePassed()
                return (sums.0 + passed.toServer, sums.1 + passed.toClient)
            }
            links.removeAll { $0.isDone }
            board.report { [count = links.count, looksAsked = state.looksAsked] state in
                state.connectionsNow = count
                state.looksDone = looksAsked
                state.bytesToServer += passed.0
                state.bytesToClient += passed.1
            }
            wait()
        }
    }

    private mutating func accept(isRefusing: Bool) {
        while let client = try? listener.acceptNow() {
            guard !isRefusing, let upstream = try? TCPConnection.begin(port: server) else {
                client.reset()
                continue
            }
            links.append(ProxyLink(client: client, server: TCPConnection(owning: upstream)))
            board.report { $0.connectionsEver += 1 }
        }
    }

    private mutating func breakAll(_ number: Int) {
        for link in links { link.breakOff() }
        links = []
        board.report {
            $0.breaksDone = number
            $0.connectionsNow = 0
        }
    }

    /// Waits for the board, a socket, or the next bytes to be due.
    private func wait() {
        var polled = [
            pollfd(fd: board.wake.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        for link in links { polled += link.polled }
        let remaining = links.compactMap(\.nextDue).min().map { Timestamp.now.duration(to: $0) }
        // Rounded up, so that nothing leaves too soon and the thread does not spin until then.
        let milliseconds = remaining.map { max(0, ($0.nanoseconds + 999_999) / 1_000_000) } ?? -1
        poll(&polled, nfds_t(polled.count), Int32(clamping: milliseconds))
    }
}
