// SPDX-License-Identifier: MIT
// One thread for all clients: taking them in, reading, answering, and noticing that they have gone.

import CSystem
import Frames
import Glibc

/// Serves a socket until it is told to stop. Used by one thread.
struct SocketLoop: ~Copyable {
    private let socket: ListeningSocket
    private let stop: StopRequest
    private let onRequest: (SocketRequest, SocketReply) -> Void
    private var clients: [SocketClient] = []
    /// False for a moment when the system has no descriptor left for one more.
    private var isAccepting = true

    /// How long to wait for descriptors when there are none.
    private static let shortage: Int32 = 200
    /// How long clients have at the end to take what waits for them.
    private static let farewell = TimeSpan.milliseconds(500)

    init(
        _ socket: ListeningSocket, stop: StopRequest, onRequest: @escaping (SocketRequest, SocketReply) -> Void
    ) {
        self.socket = socket
        self.stop = stop
        self.onRequest = onRequest
    }

    /// Returns soon after it was told to stop.
    mutating func run() {
        while !stop.isStopping {
            var polled = [pollfd(stop.wake.descriptor), pollfd(isAccepting ? socket.descriptor : -1)]
            polled += clients.map(\.polled)
            polled.wait(milliseconds: isAccepting ? -1 : Self.shortage)
            // As near to the request as it gets.
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

    /// Lets clients have what waits for them: the last answers are mostly those they came for. Not for long, as one may not read.
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
            // A client that did not wait is no matter; without descriptors it would be readable for ever.
            isAccepting = ![EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(-descriptor)
            return
        }
        let client = SocketClient(OwnedDescriptor(descriptor), waking: stop)
        var user: uid_t = 0
        if lc_peer_user(descriptor, &user) < 0 || !Self.isWelcome(user, ofUser: geteuid()) {
            client.refuse("only the user who started the program may ask it", "run as that user")
        } else if clients.count >= SocketShutter.mostClients {
            client.refuse(
                "there are \(SocketShutter.mostClients) clients already", "close one, or ask again later")
        } else {
            clients.append(client)
        }
    }

    /// Whether a peer may ask. Root may do anything anyway.
    static func isWelcome(_ peer: uid_t, ofUser user: uid_t) -> Bool { peer == user || peer == 0 }
}
