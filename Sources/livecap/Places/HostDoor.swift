// SPDX-License-Identifier: MIT
// Lets other commands and programs use the frames of this one, which has the camera.

import FrameRing
import LivecapFrames
import LivecapSharing
import LivecapStreams
import LivecapThreads
import Shutter

/// Offers the rings of a host, or of a stage, to others. While one of them reads, there are frames: the camera stays
/// on, and the stage works.
final class HostDoor: FrameSink {
    /// Nil if the system does not let it listen: then this command has its camera for itself.
    private let server: SharingServer?
    private let audience: Audience
    /// How pictures become upright, if not as the camera is mounted.
    private let mount: CameraMount?

    /// Whether frames are read, and what keeps them coming for that.
    private final class Audience: Sendable {
        private let state = Guarded(State())

        private struct State: Sendable {
            var readers = 0
            /// Keeps the frames of the present stream coming.
            var keepOn: (@Sendable () -> any AnyObject & Sendable)?
            var use: (any AnyObject & Sendable)?
            /// Counts what `use` has to follow: streams, and readers that come and go.
            var turn = 0
        }

        func note(readers: Int) { renew { $0.readers = readers } }

        /// Another stream has begun; nil if none will.
        func follow(_ stream: SinkStream?) { renew { $0.keepOn = stream?.keepOn } }

        /// Keeps the frames of the present stream coming while they are read, and those of no other.
        private func renew(_ change: (inout State) -> Void) {
            let (keepOn, turn) = state.withLock { state in
                change(&state)
                state.turn += 1
                return (state.readers > 0 ? state.keepOn : nil, state.turn)
            }
            let use = keepOn?()
            // Released without the lock: that may switch a camera off.
            let old = state.withLock { state -> (any AnyObject & Sendable)? in
                guard state.turn == turn else { return use }
                defer { state.use = use }
                return state.use
            }
            _ = old
        }
    }

    /// Opens one for other commands of the same user.
    init() {
        let audience = Audience()
        self.audience = audience
        mount = nil
        server = try? .forCommands { audience.note(readers: $0) }
    }

    /// Opens one for programs that connect to a socket, by default that of `SharingServer`. `whenReadersChange` is
    /// called on the socket's thread.
    init(
        at path: String?, for allowed: SharingAudience = .thisUser, mount: CameraMount? = nil,
        whenReadersChange: @escaping @Sendable () -> Void = {}
    ) throws(ShutterError) {
        let audience = Audience()
        self.audience = audience
        self.mount = mount
        server = try SharingServer(path: path, for: allowed) {
            audience.note(readers: $0)
            whenReadersChange()
        }
    }

    /// The socket; nil if there is none.
    var path: String? { server?.path }
    /// The number of readers now, and that of all so far.
    var readerCount: Int { server?.readerCount ?? 0 }
    var totalReaders: Int { server?.totalReaders ?? 0 }

    func streamBegins(_ stream: SinkStream) {
        let mount = mount ?? stream.mount()
        // Others cannot read every ring.
        if stream.ring.isShared {
            server?.offer(stream.ring, stream.source, degrees: mount.angle.degrees, isMirrored: mount.isMirrored)
        }
        audience.follow(stream)
    }

    func hostEnds() { audience.follow(nil) }

    /// Lets nobody in any more. Those who read see the end.
    func close() {
        server?.close()
        audience.follow(nil)
    }
}
