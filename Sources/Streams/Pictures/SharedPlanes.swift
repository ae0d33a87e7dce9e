// SPDX-License-Identifier: MIT
// The planes of a stream's JPEG frames, decoded once for all who look into them.

import LivecapFrames
import LivecapThreads

/// The JPEG frames of one stream, decoded for any number of readers (`PlaneReader`): by the first of those that ask for
/// a frame, while the others wait for it. A frame is kept until all readers have passed it, and not for those that are
/// far behind.
///
/// Decoding at a half, a fourth or an eighth of the width and height is faster. While readers of several sizes are at
/// work, all get the largest, as everything smaller can be made of it.
package final class SharedPlanes: Sendable {
    private let state = Guarded(State())

    fileprivate struct State: Sendable {
        var frames: [Kept] = []
        var readers: [Int: Reader] = [:]
        var nextKey = 0
        /// The highest frame counter requested so far.
        var newest: UInt64 = 0
        var decoded = 0
    }

    fileprivate struct Kept: Sendable {
        var id: FrameID
        let shape: PlaneShape
        let planes: DecodedFrame
        var users: Int
    }

    fileprivate struct Reader: Sendable {
        let shrink: Int
        /// The counter of the last frame it took; nil before the first.
        private var taken: UInt64?
        /// How far apart its last two frames were.
        private var stride: UInt64 = 1
        /// It takes no frame up to this counter any more.
        private(set) var passed: UInt64?

        init(shrink: Int) { self.shrink = shrink }

        /// Whether it is waited for. One that takes few frames, as for a timelapse, is not.
        func isAtWork(_ newest: UInt64) -> Bool {
            passed.map { $0 + SharedPlanes.reach >= newest && stride <= SharedPlanes.longestStride } ?? false
        }

        /// It will take the frame of a counter next.
        mutating func comes(to counter: UInt64) { passed = max(passed ?? 0, max(counter, 1) - 1) }

        mutating func takes(_ counter: UInt64) {
            if let taken, counter > taken { stride = counter - taken }
            taken = counter
            passed = max(passed ?? 0, counter)
        }
    }

    /// A reader whose last frame is farther back than this is not waited for.
    fileprivate static let reach: UInt64 = 16
    fileprivate static let longestStride: UInt64 = 6
    /// How many frames are kept at most, besides one per reader, for those that are somewhat behind.
    fileprivate static let spare = 3

    /// No frame is decoded yet.
    package init() {}

    /// How many frames were decoded for its readers, or could not be.
    package var decodeCount: Int { state.withLock { $0.decoded } }
    /// How many frames there is memory for.
    var keptCount: Int { state.withLock { $0.frames.count } }

    // MARK: For `PlaneReader`

    /// A reader who needs planes of frames shrunk by no more than `shrink`. The result stands for it.
    func join(shrunkBy shrink: Int) -> Int {
        state.withLock { state in
            state.nextKey += 1
            state.readers[state.nextKey] = Reader(shrink: shrink)
            return state.nextKey
        }
    }

    func leave(_ key: Int) {
        state.withLock { state in
            state.readers[key] = nil
            state.forgetSpent()
        }
    }

    /// By how much a reader's next frame is shrunk, so that all who are at work can use it.
    func shrink(for key: Int, _ id: FrameID) -> Int {
        state.withLock { state in
            state.newest = max(state.newest, id.counter)
            state.readers[key]?.comes(to: id.counter)
            return state.readersAtWork.map(\.shrink).min() ?? 1
        }
    }

    /// Lends a frame to a reader until `giveBack`. Nil if all memory is in use; the reader then decodes for itself.
    func take(_ id: FrameID, _ shape: PlaneShape, for key: Int) -> DecodedFrame? {
        state.withLock { state in
            state.newest = max(state.newest, id.counter)
            state.readers[key]?.takes(id.counter)
            if let place = state.frames.firstIndex(where: { $0.id == id && $0.shape == shape }) {
                state.frames[place].users += 1
                return state.frames[place].planes
            }
            state.decoded += 1
            guard let planes = state.room(for: shape) else { return nil }
            state.frames.append(Kept(id: id, shape: shape, planes: planes, users: 1))
            return planes
        }
    }

    func giveBack(_ planes: DecodedFrame) {
        state.withLock { state in
            guard let place = state.frames.firstIndex(where: { $0.planes === planes }) else { return }
            state.frames[place].users -= 1
        }
    }
}

extension SharedPlanes.State {
    fileprivate var readersAtWork: [SharedPlanes.Reader] { readers.values.filter { $0.isAtWork(newest) } }

    /// The counter that all readers at work have passed.
    private var passed: UInt64 {
        readersAtWork.compactMap(\.passed).min() ?? newest
    }

    /// Lets go of the memory of frames that nobody will take.
    fileprivate mutating func forgetSpent() {
        let passed = passed
        frames.removeAll { $0.users == 0 && $0.id.counter <= passed }
    }

    /// Memory for a frame: that of one that all have passed, else new, else that of the oldest one nobody uses.
    fileprivate mutating func room(for shape: PlaneShape) -> DecodedFrame? {
        let passed = passed
        let isFull = frames.count >= readersAtWork.count + SharedPlanes.spare
        let free = frames.filter { $0.users == 0 && (isFull || $0.id.counter <= passed) }
        let old = free.filter { $0.shape == shape }.min { $0.id < $1.id } ?? free.min { $0.id < $1.id }
        if let old { frames.removeAll { $0.planes === old.planes } }
        forgetSpent()
        guard let old else { return isFull ? nil : DecodedFrame(byteCount: shape.byteCount) }
        guard old.shape == shape else { return DecodedFrame(byteCount: shape.byteCount) }
        old.planes.forget()
        return old.planes
    }
}

/// Memory for the planes of one frame, and whether they are there.
final class DecodedFrame: @unchecked Sendable {  // safe: written once, with the lock, before it is read
    private let memory: UnsafeMutableRawBufferPointer
    /// Nil until the frame was decoded, or could not be.
    private let isGood = Guarded<Bool?>(nil)

    init(byteCount: Int) { memory = .allocate(byteCount: byteCount, alignment: 64) }

    deinit { memory.deallocate() }

    /// The planes, made by `decode` if nobody has; nil if that fails. Others who ask wait meanwhile.
    func planes(_ decode: (UnsafeMutableRawBufferPointer) -> Bool) -> UnsafeRawBufferPointer? {
        let isGood = isGood.withLock { known in
            let result = known ?? decode(memory)
            known = result
            return result
        }
        return isGood ? UnsafeRawBufferPointer(memory) : nil
    }

    /// The memory is that of another frame from now on. Nobody reads it.
    func forget() { isGood.withLock { $0 = nil } }
}
