// SPDX-License-Identifier: MIT
// Frames that shots have been promised, prepared once for all of them.

import Frames
import FusionKernels
import PhotoLibrary

/// What a shot needs of a frame.
enum FrameForm: Hashable {
    /// Prepared for fusion.
    case prepared
    /// The bytes as they came.
    case bytes
    /// In the library, for later: it takes no room here.
    case kept
}

/// A frame on its way to, or on, the shelf. Guarded by the desk's lock, but for what `ready` gives, which nobody changes.
final class ShelvedFrame: @unchecked Sendable {
    enum Content {
        /// To be read by a worker, who then lets go of it.
        case held(HeldFrame)
        case prepared(FusionFrame)
        /// As it came; and why it could not be prepared, if it was to be.
        case bytes([UInt8], reason: String?)
        /// It cannot be used.
        case unusable(reason: String)
        /// In the library.
        case kept(KeptFrame)
        /// The library did not take it.
        case notKept(LibraryError)
    }

    let metadata: FrameMetadata
    let form: FrameForm
    var content: Content
    /// Shots that need it, on their way.
    var users = 0
    /// Those of them that wait for it.
    var waiting: [Shot] = []
    /// When a shot last asked for it: the shelf's count.
    var lastUse: UInt64 = 0

    init(_ frame: HeldFrame, _ form: FrameForm) {
        (metadata, self.form, content) = (frame.metadata, form, .held(frame))
    }

    /// Whether it was read, and is what it was to be.
    var isUsable: Bool {
        switch content {
        case .prepared, .bytes(_, nil): true
        default: false
        }
    }
    var isReady: Bool { if case .held = content { false } else { true } }
}

/// The frames of all shots on their way, and as many others as there is room for: the next shot may need them again.
struct FrameShelf {
    private struct Key: Hashable {
        let id: FrameID
        let form: FrameForm
    }

    /// How many frames there is room for.
    let capacity: Int
    private var frames: [Key: ShelvedFrame] = [:]
    /// Memory of frames that were let go.
    private var spare: [FusionFrame] = []
    private var uses: UInt64 = 0
    /// How many of the frames are in the library, or on their way there: they take no room.
    private var keptCount = 0

    init(capacity: Int) { self.capacity = capacity }

    /// How many frames lie on it.
    var count: Int { frames.count }
    /// How many of them some shot needs.
    var neededCount: Int { frames.values.count { $0.users > 0 } }

    /// How much of the room shots need.
    var roomTaken: Int { neededCount - keptCount }

    /// Whether these frames find room when those nobody needs are let go.
    func hasRoom(for held: [HeldFrame], _ form: FrameForm) -> Bool {
        let new = held.count { frame in (frames[Key(id: frame.metadata.id, form: form)]?.users ?? 0) == 0 }
        return roomTaken + new <= capacity
    }

    /// Keeps those of the frames that are there from being let go for the others.
    mutating func touch(_ held: [HeldFrame], _ form: FrameForm) {
        uses += 1
        for frame in held { frames[Key(id: frame.metadata.id, form: form)]?.lastUse = uses }
    }

    /// The same of the newest `count` frames there are, where the next one will be number `counter`.
    func hasRoom(forNewest count: Int, below counter: UInt64) -> Bool {
        let first = counter - min(counter, UInt64(count))
        var (needed, shared) = (0, 0)
        for frame in frames.values where frame.users > 0 && frame.form != .kept {
            needed += 1
            if frame.metadata.id.counter >= first { shared += 1 }
        }
        return needed + count - min(count, shared) <= capacity
    }

    /// Takes a frame in for a shot; whether it is new, so that somebody has to read it.
    mutating func promise(_ frame: HeldFrame, _ form: FrameForm) -> (frame: ShelvedFrame, isNew: Bool) {
        let key = Key(id: frame.metadata.id, form: form)
        uses += 1
        if let known = frames[key] {
            (known.users, known.lastUse) = (known.users + 1, uses)
            return (known, false)
        }
        if form == .kept { keptCount += 1 } else if frames.count - keptCount >= capacity { dropOldest() }
        let new = ShelvedFrame(frame, form)
        (new.users, new.lastUse) = (1, uses)
        frames[key] = new
        return (new, true)
    }

    /// A shot needs the frame no longer. One that nobody has read yet goes at once, and with it its lease.
    mutating func release(_ frame: ShelvedFrame) {
        frame.users -= 1
        if frame.users == 0, case .held = frame.content { drop(frame) }
        // The library has it; it is not written twice there.
        if frame.users == 0, frame.form == .kept { drop(frame) }
        // Bytes are quickly had again, and memory for them is not counted beyond their shot.
        if frame.users == 0, case .bytes = frame.content { drop(frame) }
        if frame.users == 0, case .unusable = frame.content { drop(frame) }
    }

    /// Memory to prepare a frame into, if some is spare.
    mutating func memory() -> FusionFrame? { spare.popLast() }

    /// Takes memory back that nothing was prepared into.
    mutating func giveBack(_ frame: FusionFrame) { spare.append(frame) }

    /// Lets go of what nobody needs of the frames before number `counter`, which have left the history: no shot will ask for
    /// them. Memory that was in use is quicker than new memory, whose pages the system must find and clear first.
    mutating func dropIdle(before counter: UInt64) {
        for frame in frames.values where frame.users == 0 && frame.metadata.id.counter < counter { drop(frame) }
    }

    private mutating func dropOldest() {
        let idle = frames.values.filter { $0.users == 0 }.min { $0.lastUse < $1.lastUse }
        if let idle { drop(idle) }
    }

    private mutating func drop(_ frame: ShelvedFrame) {
        // One that was dropped unread may lie here anew by now.
        let key = Key(id: frame.metadata.id, form: frame.form)
        guard frames[key] === frame else { return }
        frames[key] = nil
        if frame.form == .kept { keptCount -= 1 }
        if case .prepared(let memory) = frame.content { spare.append(memory) }
    }
}
