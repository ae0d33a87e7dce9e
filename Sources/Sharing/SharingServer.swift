// SPDX-License-Identifier: MIT
// Offers a ring to other processes over a Unix socket.

import FrameRing
import Glibc
import LivecapFiles
import LivecapFrames
import LivecapThreads
import Shutter
import Synchronization

/// Who may read shared frames.
public enum SharingAudience: Hashable, Sendable {
    /// The user who runs the program, and root.
    case thisUser
    /// Every user of the machine who can reach the socket.
    case everyone
}

/// Gives other processes the descriptor of a ring, with which they read frames in place: `livecap-share.h` is the
/// layout, and a client in C.
///
/// A reader holds nothing of the ring. It maps the memory for reading only, and checks after each frame whether it was
/// overwritten meanwhile. So the producer knows nothing of its readers: one that stands still, dies or is hostile costs
/// it nothing. A reader sends nothing either, and nothing that it sends is read.
///
/// Frames of a source that was unplugged and is back go on in the same ring, in a new epoch. A new ring is offered to
/// all readers in turn; they see the end of the one before.
public final class SharingServer: Sendable {
    /// The maximum number of readers. Additional ones are told and disconnected.
    public static let maxReaders = 64

    /// The path that readers connect to.
    public let path: String
    private let board: SharingBoard
    private let thread: ShutterThread
    private let waker = Guarded<ReaderWaker?>(nil)

    /// The socket's path if none is given: `$XDG_RUNTIME_DIR/livecap/share.sock`, the same under `/run/user/UID`, or else
    /// `/tmp/livecap-UID/share.sock`. The first of the two runtime folders that exists and belongs to this user is used.
    public static var defaultPath: String { defaultAddress.path }

    private static var defaultAddress: SocketAddress {
        SocketAddress(
            runtimeDirectory: pathInEnvironment("XDG_RUNTIME_DIR"), user: geteuid(), name: "share.sock")
    }

    /// Starts listening at `path` (default: `defaultPath`). A stale socket there is replaced; a live one is an error.
    /// Readers that connect before `offer` wait.
    /// - Throws: `socketInUse` if another program listens there, `notASocket` if a file has the name, `pathTooLong` if the
    ///   path has more than 107 bytes, `unsafeDirectory` if other users could replace the default socket, and `failed` if
    ///   a system call fails otherwise.
    public init(path: String? = nil, for audience: SharingAudience = .thisUser) throws(ShutterError) {
        let address = path.map { SocketAddress(path: $0) } ?? Self.defaultAddress
        let socket = try ListeningSocket(at: address, isOpenToAll: audience == .everyone)
        let board = SharingBoard()
        self.path = address.path
        self.board = board
        thread = try ShutterThread(name: "share socket") { stop in
            var loop = SharingLoop(socket, board, stop: stop, audience)
            loop.run()
        }
    }

    /// Offers a ring that is shared (`RingCapacity.isShared`) to all readers, those to come too, in place of the one
    /// before. Each ring is offered once. Readers learn how to make its pictures upright: by mirroring them, or not, and
    /// then turning them clockwise by `degrees`, a multiple of 90.
    /// - Throws: `failed` if the system has no thread left.
    public func offer(
        _ ring: Ring, _ source: SourceDescription, degrees: Int = 0, isMirrored: Bool = false
    ) throws(ShutterError) {
        guard let file = ring.memory.file else { preconditionFailure("only a ring made to be shared can be offered") }
        file.describe(source, degrees: degrees, isMirrored: isMirrored)
        let next = try ReaderWaker(of: ring, file)
        let last = waker.withLock { waker in
            let last = waker
            waker = next
            return last
        }
        last?.end()
        board.put(ring, file)
        thread.stop.wake.raise()
    }

    /// The number of readers connected now.
    public var readerCount: Int { board.readerCount.load(ordering: .relaxed) }
    /// The number of readers that ever connected and were not refused.
    public var totalReaders: Int { board.totalReaders.load(ordering: .relaxed) }

    /// Disconnects all readers, and removes the socket. Readers see the end of the ring; the frames in it stay readable
    /// to those who have it.
    public func close() {
        waker.withLock { $0.take() }?.end()
        thread.close()
    }

    deinit { close() }
}

/// What the socket's thread and the server share.
final class SharingBoard: Sendable {
    /// The ring on offer, and its number, counted from 1. The ring keeps the file's descriptor open.
    struct Offer {
        let number: Int
        let ring: Ring
        let file: RingFile
    }

    private let current = Guarded<Offer?>(nil)
    let readerCount = Atomic<Int>(0)
    let totalReaders = Atomic<Int>(0)

    func put(_ ring: Ring, _ file: RingFile) {
        current.withLock { $0 = Offer(number: ($0?.number ?? 0) + 1, ring: ring, file: file) }
    }

    var offer: Offer? { current.withLock { $0 } }
}
