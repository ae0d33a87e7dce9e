// SPDX-License-Identifier: MIT
// The thread behind the socket: it sends each reader the ring, and notices when one leaves.

import Glibc
import LivecapCShare
import LivecapCSystem
import LivecapFrames
import Shutter

/// Serves a socket until it is stopped. Used by one thread.
struct SharingLoop: ~Copyable {
    private let socket: ListeningSocket
    private let board: SharingBoard
    private let stop: StopRequest
    private let audience: SharingAudience
    private let whenReadersChange: (Int) -> Void
    private var readers: [Reader] = []
    /// False for a while after the system runs out of descriptors.
    private var isAccepting = true

    /// How long to wait when the system has run out of descriptors, in milliseconds.
    private static let shortage: Int32 = 200
    /// Who stays that long reads frames, and has not only looked which camera this is.
    private static let look = Duration.milliseconds(300)
    /// The number of readers that was reported last.
    private var reported = 0

    /// A connection, and the number of the last ring that was sent over it.
    private struct Reader {
        let descriptor: OwnedDescriptor
        let user: uid_t
        let begin = Timestamp.now
        var ring = 0
    }

    init(
        _ socket: ListeningSocket, board: SharingBoard, stop: StopRequest, audience: SharingAudience,
        whenReadersChange: @escaping (Int) -> Void
    ) {
        self.socket = socket
        self.board = board
        self.stop = stop
        self.audience = audience
        self.whenReadersChange = whenReadersChange
    }

    /// Runs until it is stopped, and returns soon after that.
    mutating func run() {
        while !stop.isStopping {
            var polled = [pollfd(stop.wake.descriptor), pollfd(isAccepting ? socket.descriptor : -1)]
            // No events asked for: a hang-up is reported anyway, and nothing else of a reader is of interest.
            polled += readers.map { pollfd($0.descriptor.number, for: 0) }
            polled.wait(milliseconds: isAccepting ? timeUntilNextLook : Self.shortage)
            isAccepting = true
            if polled[0].isReadable { stop.wake.clear() }
            let stayed = zip(readers, polled.dropFirst(2)).filter { !$1.has(POLLHUP | POLLERR | POLLNVAL) }
            readers = stayed.map(\.0)
            if polled[1].isReadable { accept() }
            sendRing()
            board.readerCount.store(readers.count, ordering: .relaxed)
            report()
        }
    }

    /// The milliseconds until a connection counts as a reader; -1 if all do.
    private var timeUntilNextLook: Int32 {
        guard let last = readers.last?.begin else { return -1 }
        let left = last + Self.look - .now
        return left > .zero ? Int32(left / .milliseconds(1)) + 1 : -1
    }

    /// Reports how many readers there are, if that has changed.
    private mutating func report() {
        let settled = readers.count { .now - $0.begin >= Self.look }
        guard settled != reported else { return }
        reported = settled
        whenReadersChange(settled)
    }

    /// Sends the ring on offer to those who do not have it. A reader that has left its last messages unread is
    /// disconnected.
    private mutating func sendRing() {
        guard let offer = board.offer else { return }
        var isGone = false
        for index in readers.indices where readers[index].ring < offer.number {
            readers[index].ring = offer.number
            guard
                !board.wakeReaders(of: offer)
                    || !send(LIVECAP_SHARE_RING, attaching: offer.file.descriptor, to: readers[index])
            else { continue }
            readers[index].ring = .max
            isGone = true
        }
        if isGone { readers.removeAll { $0.ring == .max } }
    }

    private mutating func accept() {
        let number = lc_accept(socket.descriptor)
        guard number >= 0 else {
            // A reader that did not wait does not matter. Without free descriptors the socket would stay readable for
            // ever, so stop polling it.
            isAccepting = ![EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(-number)
            return
        }
        var user: uid_t = 0
        let isKnown = lc_peer_user(number, &user) == 0
        let reader = Reader(descriptor: OwnedDescriptor(number), user: user)
        // What it sends is refused by the kernel, so there is nothing to read and nothing that piles up.
        shutdown(number, Int32(SHUT_RD))
        if !isKnown || !Self.isWelcome(user, ofUser: geteuid(), audience) {
            _ = send(LIVECAP_SHARE_REFUSED, to: reader)
        } else if !hasPlace(for: user) {
            _ = send(LIVECAP_SHARE_FULL, to: reader)
        } else {
            readers.append(reader)
            board.totalReaders.wrappingAdd(1, ordering: .relaxed)
        }
    }

    /// Whether a user may have one more reader: no other user can take all places.
    private func hasPlace(for user: uid_t) -> Bool {
        let isOwn = user == geteuid()
        return readers.count < SharingServer.maxReaders
            && (isOwn || readers.count { $0.user == user } < SharingServer.maxReaders / 4)
    }

    /// Sends a message whole, or not at all: it is smaller than any socket's buffer. Returns whether it was sent.
    private func send(_ kind: UInt32, attaching file: Int32 = -1, to reader: Reader) -> Bool {
        var message = livecap_message()
        withUnsafeMutableBytes(of: &message.magic) { $0.copyBytes(from: LIVECAP_SHARE_MAGIC.utf8) }
        message.version = LIVECAP_SHARE_VERSION
        message.kind = kind
        let size = MemoryLayout<livecap_message>.size
        return lc_send_descriptor(reader.descriptor.number, &message, size, file) == size
    }

    /// Whether a peer may read frames. Root may do anything anyway.
    static func isWelcome(_ peer: uid_t, ofUser user: uid_t, _ audience: SharingAudience) -> Bool {
        audience == .everyone || peer == user || peer == 0
    }
}
