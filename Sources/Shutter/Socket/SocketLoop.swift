// SPDX-License-Identifier: MIT
// The thread that serves all clients: it accepts them, reads, replies, and notices when they leave.

import Glibc
import LivecapCSystem
import LivecapFrames

/// Serves a socket until it is stopped. Used by one thread.
struct SocketLoop: ~Copyable {
    private let socket: ListeningSocket
    private let stop: StopRequest
    private let onRequest: (SocketRequest, SocketReply) -> Void
    private var clients: [SocketClient] = []
    /// False for a while after the system runs out of descriptors.
    private var isAccepting = true

    /// How long to wait when the system has run out of descriptors, in milliseconds.
    private static let shortage: Int32 = 200
    /// How long clients have at the end to receive pending replies.
    private static let farewell = Duration.milliseconds(500)

    init(
        _ socket: ListeningSocket, stop: StopRequest, onRequest: @escaping (SocketRequest, SocketReply) -> Void
    ) {
        self.socket = socket
        self.stop = stop
        self.onRequest = onRequest
    }

    /// Runs until it is stopped, and returns soon after that.
    mutating func run() {
        while !stop.isStopping {
            var polled = [pollfd(stop.wake.descriptor), pollfd(isAccepting ? socket.descriptor : -1)]
            polled += clients.map(\.polled)
            polled.wait(milliseconds: isAccepting ? -1 : Self.shortage)
            // As close to the arrival of the requests as possible.
            let now = Timestamp.now
            isAccepting = true
            if polled[0].isReadable { stop.wake.clear() }
            for (client, state) in zip(clients, polled.dropFirst(2)) {
                client.serve(state, now: now, until: { stop.isStopping }, onRequest)
            }
            for client in clients where client.isOver { client.leave(now: now, onRequest) }
            clients.removeAll(where: \.isOver)
            if polled[1].isReadable { accept() }
        }
        sayFarewell()
        for client in clients { client.leave(now: .now, onRequest) }
    }

    /// Sends clients their pending replies, since the last ones are often those they came for. Limited in time, because
    /// a client may not read.
    private func sayFarewell() {
        let deadline = Timestamp.now + Self.farewell
        while true {
            let waiting = clients.filter(\.hasAnswers)
            let left = deadline - .now
            guard !waiting.isEmpty, left > .zero else { return }
            var polled = waiting.map(\.polledForAnswers)
            polled.wait(milliseconds: Int32(left.milliseconds.rounded(.up)))
            for (client, state) in zip(waiting, polled) { client.answer(state) }
        }
    }

    private mutating func accept() {
        let descriptor = lc_accept(socket.descriptor)
        guard descriptor >= 0 else {
            // A client that did not wait does not matter. Without free descriptors the socket would stay readable for
            // ever, so stop polling it.
            isAccepting = ![EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(-descriptor)
            return
        }
        let client = SocketClient(OwnedDescriptor(descriptor), waking: stop)
        var user: uid_t = 0
        if lc_peer_user(descriptor, &user) < 0 || !Self.isWelcome(user, ofUser: geteuid()) {
            client.refuse("only the user who started livecap may send requests", "run as that user")
        } else if clients.count >= SocketShutter.maxClients {
            client.refuse(
                "there are \(SocketShutter.maxClients) clients already", "close one, or try again later")
        } else {
            clients.append(client)
        }
    }

    /// Whether a peer may send requests. Root may do anything anyway.
    static func isWelcome(_ peer: uid_t, ofUser user: uid_t) -> Bool { peer == user || peer == 0 }
}
