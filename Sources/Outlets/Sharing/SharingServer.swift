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

    /// The socket's path if none is given: `$XDG_RUNTIME_DIR/livecap/share.sock`, the same under `/run/user/UID`, or
    /// else `/tmp/livecap-UID/share.sock`. The first of the two runtime folders that exists and belongs to this user is
    /// used.
    public static var defaultPath: String { defaultAddress.path }

    private static var defaultAddress: SocketAddress {
        SocketAddress(
            runtimeDirectory: pathInEnvironment("XDG_RUNTIME_DIR"), user: geteuid(), name: "share.sock")
    }

    /// Starts listening at `path` (default: `defaultPath`). A stale socket there is replaced; a live one is an error.
    /// Readers that connect before `offer` wait.
    /// - Throws: `socketInUse` if another program listens there, `notASocket` if a file has the name, `pathTooLong` if
    ///   the path has more than 107 bytes, `unsafeDirectory` if other users could replace the default socket, and
    ///   `failed` if a system call fails otherwise.
    public convenience init(path: String? = nil, for audience: SharingAudience = .thisUser) throws(ShutterError) {
        try self.init(path: path, for: audience) { _ in }
    }

    /// The same; `whenReadersChange` gets the number of readers, on the socket's thread.
    package convenience init(
        path: String? = nil, for audience: SharingAudience = .thisUser,
        whenReadersChange: @escaping @Sendable (Int) -> Void
    ) throws(ShutterError) {
        try self.init(at: path.map { SocketAddress(path: $0) } ?? Self.defaultAddress, audience, whenReadersChange)
    }

    /// Starts listening where other commands of livecap look for cameras that are in use, for those of this user.
    /// `whenReadersChange` gets the number of readers, on the socket's thread.
    package static func forCommands(
        whenReadersChange: @escaping @Sendable (Int) -> Void
    ) throws(ShutterError) -> SharingServer {
        RunningHost.removeDead()
        for attempt in 0..<8 {
            do throws(ShutterError) {
                return try SharingServer(at: RunningHost.address(of: getpid(), attempt), .thisUser, whenReadersChange)
            } catch {
                guard case .socketInUse = error else { throw error }
            }
        }
        throw .socketInUse(path: RunningHost.address(of: getpid(), 0).path)
    }

    private init(
        at address: SocketAddress, _ audience: SharingAudience, _ whenReadersChange: @escaping @Sendable (Int) -> Void
    ) throws(ShutterError) {
        let socket = try ListeningSocket(at: address, isOpenToAll: audience == .everyone)
        let board = SharingBoard()
        path = address.path
        self.board = board
        thread = try ShutterThread(name: "share socket") { stop in
            var loop = SharingLoop(
                socket, board: board, stop: stop, audience: audience, whenReadersChange: whenReadersChange)
            loop.run()
        }
    }

    /// Offers a ring that is shared (`RingCapacity.isShared`) to all readers, those to come too, in place of the one
    /// before. Each ring is offered once. Readers learn how to make its pictures upright: by mirroring them, or not,
    /// and then turning them clockwise by `degrees`, a multiple of 90.
    public func offer(_ ring: Ring, _ source: SourceDescription, degrees: Int = 0, isMirrored: Bool = false) {
        guard let file = ring.memory.file else { preconditionFailure("only a ring made to be shared can be offered") }
        file.describe(source, degrees: degrees, isMirrored: isMirrored)
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
        board.close()
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

    private struct State {
        var offer: Offer?
        /// Made for the first reader.
        var waker: ReaderWaker?
    }

    private let state = Guarded(State())
    let readerCount = Atomic<Int>(0)
    let totalReaders = Atomic<Int>(0)

    var offer: Offer? { state.withLock { $0.offer } }

    /// Replaces the ring on offer, and tells the readers of the old one that it has ended.
    func put(_ ring: Ring, _ file: RingFile) {
        let last = state.withLock { state in
            state.offer = Offer(number: (state.offer?.number ?? 0) + 1, ring: ring, file: file)
            return state.waker.take()
        }
        last?.end()
    }

    /// Has the readers of an offer woken from here on. Returns false if the system has no thread for that.
    func wakeReaders(of offer: Offer) -> Bool {
        state.withLock { state in
            guard state.offer?.number == offer.number, state.waker == nil else { return true }
            state.waker = try? ReaderWaker(of: offer.ring, offer.file)
            return state.waker != nil
        }
    }

    /// Tells the readers of the end.
    func close() { state.withLock { $0.waker.take() }?.end() }
}
