// SPDX-License-Identifier: MIT
// A camera among PipeWire's.

import Camera
import LivecapCPipeWire
import LivecapFrames
import LivecapThreads

/// A node of class Video/Source. libpipewire is loaded when the first one is made.
final class PipeWireNode: PictureSink {
    // Safe: it never changes, and one thread at a time uses it.
    nonisolated(unsafe) private let node: OpaquePointer
    private let isOnThisClock: Bool
    private let board: DemandBoard

    init(_ source: SourceDescription, _ size: FrameSize) throws(VirtualCameraError) {
        let rate = source.rate ?? FrameRate(30)
        let board = DemandBoard()
        var node: OpaquePointer?
        var why = [CChar](repeating: 0, count: 256)
        let result = "libpipewire-0.3.so.0".withCString { library in
            // Browsers tell cameras apart by their nodes' names, and remember them.
            "livecap.\(source.identity.asIdentity.replacing(":", with: "-"))".withCString { name in
                source.name.withCString { description in
                    var settings = lc_pipewire_settings(
                        library: library, name: name, description: description, width: UInt32(size.width),
                        height: UInt32(size.height), rate_numerator: rate.numerator,
                        rate_denominator: rate.denominator,
                        changed: { board, isWatched, hasFailed in
                            // The node, which keeps it, is closed before it is released.
                            let board = Unmanaged<DemandBoard>.fromOpaque(board!).takeUnretainedValue()
                            board.note(hasFailed ? .never(.gone("PipeWire")) : isWatched ? .some : .none)
                        }, owner: Unmanaged.passUnretained(board).toOpaque())
                    return lc_pipewire_open(&settings, &node, &why, why.count)
                }
            }
        }
        let detail = why.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        guard result == LC_PIPEWIRE_OK, let node else {
            throw result == LC_PIPEWIRE_NO_LIBRARY ? .noPipeWire(detail: detail) : .notRunning(detail: detail)
        }
        self.node = node
        self.board = board
        isOnThisClock = source.clock == .monotonic
    }

    deinit { lc_pipewire_close(node) }

    func onDemand(_ body: @escaping @Sendable (PictureDemand) -> Void) { board.follow(body) }

    func show(_ pixels: UnsafeRawBufferPointer, at time: Timestamp) {
        lc_pipewire_put(node, pixels.baseAddress, (isOnThisClock ? time : .now).nanoseconds)
    }
}

/// The demand that PipeWire's thread reports, and who follows it. It knows nothing of the node, which that thread must
/// not be the last to release.
private final class DemandBoard: Sendable {
    private let state = Guarded(State())

    private struct State: Sendable {
        var demand = PictureDemand.none
        var follower: (@Sendable (PictureDemand) -> Void)?
    }

    func note(_ demand: PictureDemand) {
        // With the lock, so that no report overtakes another.
        state.withLock { state in
            guard state.demand != demand else { return }
            state.demand = demand
            state.follower?(demand)
        }
    }

    func follow(_ body: @escaping @Sendable (PictureDemand) -> Void) {
        state.withLock { state in
            state.follower = body
            body(state.demand)
        }
    }
}
