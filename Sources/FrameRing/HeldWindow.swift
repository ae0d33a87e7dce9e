// SPDX-License-Identifier: MIT
// Frames that people look at for as long as they like. All that are held leave half of the ring to the history.

import Synchronization

/// A window of frames that stays until nobody looks at it any more, while the history passes it.
///
/// Held frames take their slots out of the history. All that are held in a ring, by whomever, have at most half of it,
/// so capture goes on however long they are held. A frame that is held twice counts twice.
package final class HeldWindow: Sendable {
    /// The ring that has the frames.
    package let ring: Ring
    /// The frames.
    package let window: FrameWindow
    private let room: HeldRoom

    /// Holds the frames of a window. Nil if there is no room beside what else is held. `other` counts as free: it is
    /// let go of in a moment, and has some of the same frames.
    package init?(_ window: consuming FrameWindow, of ring: Ring, insteadOf other: HeldWindow? = nil) {
        let bytes = (0..<window.count).reduce(0) { $0 + window.metadata($1).byteCount }
        let room = HeldRoom(frames: window.count, bytes: bytes)
        guard ring.held.take(room, of: ring.roomToHold, beside: other?.room(in: ring) ?? .none) else { return nil }
        self.ring = ring
        self.window = window
        self.room = room
    }

    deinit { ring.held.give(room) }

    fileprivate func room(in ring: Ring) -> HeldRoom { self.ring === ring ? room : .none }
}

/// A number of frames, and their bytes.
package struct HeldRoom: Hashable, Sendable {
    /// How many frames.
    package let frames: Int
    /// The bytes of all of them.
    package let bytes: Int

    static let none = HeldRoom(frames: 0, bytes: 0)
}

/// What is held in a ring.
struct HeldCount: ~Copyable, Sendable {
    private let frames = Atomic(0)
    private let bytes = Atomic(0)

    var now: HeldRoom { HeldRoom(frames: frames.load(ordering: .relaxed), bytes: bytes.load(ordering: .relaxed)) }

    /// Counts what is to be held, unless it is too much. Of two that come at once, both may be refused, but never do
    /// both get the same room.
    func take(_ room: HeldRoom, of most: HeldRoom, beside free: HeldRoom) -> Bool {
        let frames = frames.wrappingAdd(room.frames, ordering: .relaxed).newValue
        let bytes = bytes.wrappingAdd(room.bytes, ordering: .relaxed).newValue
        if frames - free.frames <= most.frames, bytes - free.bytes <= most.bytes { return true }
        give(room)
        return false
    }

    func give(_ room: HeldRoom) {
        frames.wrappingSubtract(room.frames, ordering: .relaxed)
        bytes.wrappingSubtract(room.bytes, ordering: .relaxed)
    }
}

extension Ring {
    /// How much may be held at most. Frames of fixed slots take no more than those.
    fileprivate var roomToHold: HeldRoom {
        HeldRoom(frames: historyLimit / 2, bytes: isCompact ? memory.regions[0].count / 2 : .max)
    }

    /// How much more may be held now, if `other` is let go of.
    package func roomToHold(insteadOf other: HeldWindow?) -> HeldRoom {
        let (most, now, free) = (roomToHold, held.now, other?.room(in: self) ?? .none)
        return HeldRoom(frames: most.frames - now.frames + free.frames, bytes: most.bytes - now.bytes + free.bytes)
    }
}
