// SPDX-License-Identifier: MIT
// Lets other commands and programs use the frames of this one, which has the camera.

import Camera
import FrameRing
import LiveCapture
import LivecapFrames
import LivecapSharing
import LivecapStreams
import LivecapThreads

/// Offers the rings of a host to others. While one of them reads, the camera stays on.
final class HostDoor: FrameSink {
    /// Nil if the system does not let it listen: then this command has its camera for itself.
    private let server: SharingServer?
    private let audience: Audience
    /// Keeps the camera on whether anybody reads or not.
    private let standing = Guarded<(any AnyObject & Sendable)?>(nil)
    private let isAlwaysOn: Bool

    /// Whether frames are read, and what keeps the camera on for that.
    private final class Audience: Sendable {
        private let keepOn: @Sendable () -> (any AnyObject & Sendable)?
        private let whenReadersChange: @Sendable () -> Void
        private let state = Guarded(State())

        private struct State: Sendable {
            var readers = 0
            var use: (any AnyObject & Sendable)?
            /// Counts what `use` has to follow: streams, and readers that come and go.
            var turn = 0
        }

        init(
            _ keepOn: @escaping @Sendable () -> (any AnyObject & Sendable)?,
            whenReadersChange: @escaping @Sendable () -> Void = {}
        ) {
            self.keepOn = keepOn
            self.whenReadersChange = whenReadersChange
        }

        var isReading: Bool { state.withLock { $0.readers > 0 } }

        func note(readers: Int) {
            renew { $0.readers = readers }
            whenReadersChange()
        }

        /// Another stream has begun.
        func followStream() { renew { _ in } }

        /// Keeps the camera of the present stream on while frames are read, and no other.
        private func renew(_ change: @Sendable (inout State) -> Void) {
            let (isReading, turn) = state.withLock { state in
                change(&state)
                state.turn += 1
                return (state.readers > 0, state.turn)
            }
            let use = isReading ? keepOn() : nil
            // Released without the lock: that may switch a camera off.
            let old = state.withLock { state -> (any AnyObject & Sendable)? in
                guard state.turn == turn else { return use }
                defer { state.use = use }
                return state.use
            }
            _ = old
        }
    }

    /// Opens one for programs that connect to a server, and keeps the camera on for them.
    init(at server: SharingServer) {
        self.server = server
        isAlwaysOn = true
        audience = Audience({ nil })
    }

    /// Opens one for other commands of the same user. `keepOn` keeps the camera on while its result exists;
    /// `whenReadersChange` is called whenever `isReading` may have changed.
    init(
        whenReadersChange: @escaping @Sendable () -> Void = {},
        keepOn: @escaping @Sendable () -> (any AnyObject & Sendable)? = { nil }
    ) {
        let audience = Audience(keepOn, whenReadersChange: whenReadersChange)
        self.audience = audience
        isAlwaysOn = false
        server = try? .forCommands { audience.note(readers: $0) }
    }

    /// The socket; nil if there is none.
    var path: String? { server?.path }
    /// Whether a command reads the frames now.
    var isReading: Bool { audience.isReading }

    /// Offers a ring in place of the one before. Does nothing if other processes cannot read it.
    func offer(_ ring: Ring, _ source: SourceDescription, _ mount: CameraMount) {
        guard ring.isShared else { return }
        server?.offer(ring, source, degrees: mount.angle.degrees, isMirrored: mount.isMirrored)
    }

    func streamBegins(_ stream: SinkStream) {
        offer(stream.ring, stream.source, stream.mount())
        if isAlwaysOn { keep(stream.keepOn()) }
        audience.followStream()
    }

    func hostEnds() { keep(nil) }

    /// Lets nobody in any more. Those who read see the end.
    func close() {
        server?.close()
        keep(nil)
    }

    private func keep(_ use: (any AnyObject & Sendable)?) {
        let old = standing.withLock { standing in
            defer { standing = use }
            return standing
        }
        // Released without the lock.
        _ = old
    }
}
