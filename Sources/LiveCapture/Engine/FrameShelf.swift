// SPDX-License-Identifier: MIT
// Holds the frames promised to shots, each prepared once for all of them.

import Fusion
import LivecapDeveloping
import LivecapFrames
import LivecapPhotoStorage

/// A frame on the shelf, or on its way there. The desk's lock guards it, except the content of a frame that is ready,
/// which never changes.
final class ShelvedFrame: @unchecked Sendable {
    enum Content {
        /// To be read by a worker, which then releases its lease.
        case held(HeldFrame)
        /// Read in the form a developer takes, or found unusable.
        case read(ReadFrame.Content)
        /// Stored in the library.
        case kept(KeptFrame)
        /// The library failed to store it. If that is because its disk is full, the bytes are here, of which the photo
        /// can be made at once.
        case notKept(LibraryError, bytes: [UInt8])
    }

    let metadata: FrameMetadata
    let form: FrameForm
    var content: Content
    /// The number of shots in progress that need it.
    var users = 0
    /// The shots among them that wait for it to be read.
    var waiting: [Shot] = []
    /// When a shot last asked for it, as a value of the shelf's counter.
    var lastUse: UInt64 = 0

    init(_ frame: HeldFrame, _ form: FrameForm) {
        metadata = frame.metadata
        self.form = form
        content = .held(frame)
    }

    /// Whether it was read, and is in the form asked for.
    var isUsable: Bool {
        switch content {
        case .read(.prepared), .read(.bytes(_, nil)): true
        default: false
        }
    }
    var isReady: Bool { if case .held = content { false } else { true } }
}

/// The frames of all shots in progress, and as many others as there is room for, because the next shot may need them
/// again.
struct FrameShelf {
    private struct Key: Hashable {
        let id: FrameID
        let form: FrameForm
    }

    /// The maximum number of frames, not counting those in the library.
    private(set) var capacity: Int
    private var frames: [Key: ShelvedFrame] = [:]
    /// Memory of released frames, to be reused.
    private var spare: [FusionFrame] = []
    /// How many of the frames some shot needs.
    private(set) var neededCount = 0
    /// How many frames that no shot needs are kept, counting spare memory, too.
    private var idleLimit = 0
    private var uses: UInt64 = 0
    /// How many of the frames are in the library, or on their way there: they take no room.
    private var keptCount = 0

    init(capacity: Int) { self.capacity = capacity }

    /// Has room for so many frames from here on.
    mutating func grow(to capacity: Int) { self.capacity = capacity }

    /// Keeps only so many frames from here on, and until the next shot none that no shot needs.
    mutating func shrink(to capacity: Int) {
        self.capacity = capacity
        rest()
    }

    /// The number of frames on the shelf.
    var count: Int { frames.count }
    /// How much of the room is taken by frames that shots need.
    var roomTaken: Int { neededCount - keptCount }

    /// Whether there is room for these frames once those that no shot needs are dropped.
    func hasRoom(for held: [HeldFrame], _ form: FrameForm) -> Bool {
        let new = held.count { frame in (frames[Key(id: frame.metadata.id, form: form)]?.users ?? 0) == 0 }
        return roomTaken + new <= capacity
    }

    /// Marks those of a shot's frames that are on the shelf as used, so that they are not dropped for the others. Until
    /// `rest`, the next shot may need as many prepared.
    mutating func touch(_ held: [HeldFrame], _ form: FrameForm) {
        uses += 1
        if form == .prepared { idleLimit = max(idleLimit, held.count) }
        for frame in held { frames[Key(id: frame.metadata.id, form: form)]?.lastUse = uses }
    }

    /// The same for the newest `count` frames, when the next frame will have number `counter`.
    func hasRoom(forNewest count: Int, below counter: UInt64) -> Bool {
        let first = counter - min(counter, UInt64(count))
        var (needed, shared) = (0, 0)
        for frame in frames.values where frame.users > 0 && frame.form != .kept {
            needed += 1
            if frame.metadata.id.counter >= first { shared += 1 }
        }
        return needed + count - min(count, shared) <= capacity
    }

    /// Takes a frame in for a shot. Returns whether it is new, and so has to be read.
    mutating func promise(_ frame: HeldFrame, _ form: FrameForm) -> (frame: ShelvedFrame, isNew: Bool) {
        let key = Key(id: frame.metadata.id, form: form)
        uses += 1
        if let known = frames[key] {
            if known.users == 0 { neededCount += 1 }
            (known.users, known.lastUse) = (known.users + 1, uses)
            return (known, false)
        }
        if form == .kept { keptCount += 1 } else if frames.count - keptCount >= capacity { dropOldest() }
        let new = ShelvedFrame(frame, form)
        (new.users, new.lastUse) = (1, uses)
        frames[key] = new
        neededCount += 1
        return (new, true)
    }

    /// Ends one shot's need of the frame. A frame that was not read yet is dropped at once, and its lease with it.
    mutating func release(_ frame: ShelvedFrame) {
        frame.users -= 1
        if frame.users == 0 { neededCount -= 1 }
        if frame.users == 0, case .held = frame.content { drop(frame) }
        // The library has it and is not asked to write it twice.
        if frame.users == 0, frame.form == .kept { drop(frame) }
        // Bytes are quickly copied again, and the memory plan does not count them beyond their shot.
        if frame.users == 0, case .read(.bytes) = frame.content { drop(frame) }
        if frame.users == 0, case .read(.unusable) = frame.content { drop(frame) }
        if frame.users == 0, frames.count - keptCount > capacity { drop(frame) }
    }

    /// Memory to prepare a frame into; nil if new memory is to be used. Once there are as many frames as the next shot
    /// may need, that of the one used longest ago is reused. This is quicker than new memory, whose pages the system
    /// must find and clear first.
    mutating func memory() -> FusionFrame? {
        if spare.isEmpty, frames.count - keptCount > idleLimit { dropOldest() }
        return spare.popLast()
    }

    /// Takes back memory that nothing was prepared into.
    mutating func giveBack(_ frame: FusionFrame) { spare.append(frame) }

    /// Drops frames that no shot needs and that are older than number `counter`: they have left the history, so no shot
    /// will ask for them.
    mutating func dropIdle(before counter: UInt64) {
        for frame in frames.values where frame.users == 0 && frame.metadata.id.counter < counter { drop(frame) }
    }

    /// Makes all that no shot needs surplus, until the next shot.
    mutating func rest() { idleLimit = 0 }

    /// Whether memory is kept beyond what the next shots may need.
    var hasSurplus: Bool { surplus > 0 }
    private var surplus: Int { frames.count - neededCount + spare.count - idleLimit }

    /// Takes out what is kept beyond that, for the caller to release where it delays nobody: returning a frame's memory
    /// to the system takes a good part of a millisecond.
    mutating func takeSurplus() -> [FusionFrame] {
        var taken: [FusionFrame] = []
        for _ in 0..<max(0, surplus) {
            if spare.isEmpty { dropOldest() }
            if let memory = spare.popLast() { taken.append(memory) }
        }
        return taken
    }

    private mutating func dropOldest() {
        let idle = frames.values.filter { $0.users == 0 }.min { $0.lastUse < $1.lastUse }
        if let idle { drop(idle) }
    }

    private mutating func drop(_ frame: ShelvedFrame) {
        // A frame that was dropped unread may be on the shelf anew by now.
        let key = Key(id: frame.metadata.id, form: frame.form)
        guard frames[key] === frame else { return }
        frames[key] = nil
        if frame.form == .kept { keptCount -= 1 }
        if case .kept(let kept) = frame.content { kept.release() }
        // Never released here, where the lock is held.
        if case .read(.prepared(let memory)) = frame.content { spare.append(memory) }
    }
}
