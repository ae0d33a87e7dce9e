// SPDX-License-Identifier: MIT
// Where a ring's shared words lie: at fixed addresses, each writer's on cache lines of their own.

import Frames
import Synchronization

/// A slot of a ring, by number.
public typealias SlotIndex = Int

/// What the threads share about a slot: a cache line a slot, so that taking or publishing one disturbs nobody who
/// holds or looks at another.
struct SlotShared: ~Copyable {
    /// A `SlotWord`.
    let word = Atomic<UInt64>(0)
    /// The frame's time, in nanoseconds. Good for what it is only if the word's generation has not changed.
    let time = Atomic<Int64>(0)
    /// A `FrameTag`. As good as the time.
    let tag = Atomic<UInt64>(0)
    private let padding = (UInt64(0), UInt64(0), UInt64(0), UInt64(0), UInt64(0))
}

/// What lies in a slot: written only by the producer while it owns the slot, read only under a pin.
struct SlotContent {
    var metadata = FrameMetadata(time: .zero, byteCount: 0)
    var bytes: UnsafeMutableRawBufferPointer
}

/// What every reader looks at first: written by the producer with every frame.
struct Progress: ~Copyable {
    /// Counters below this one have been published.
    let published: Atomic<UInt64>
    /// The newest published frame's time, in nanoseconds; the smallest number while there is none.
    let newestTime = Atomic<Int64>(.min)
    let hasEnded = Atomic<Bool>(false)
    private let padding = (UInt64(0), UInt64(0), UInt64(0), UInt64(0), UInt64(0))

    init(firstCounter: UInt64) { published = Atomic(firstCounter) }
}

/// The addresses of all that producer and readers share. A plain value, copied into the producer and into leases, so
/// that the frame path touches neither the ring object nor its reference count; the ring owns what it points to and
/// outlives every copy.
struct SlotTable: @unchecked Sendable {  // addresses that never change; the protocol rules what lies there
    let count: Int
    let shared: UnsafeMutablePointer<SlotShared>
    let contents: UnsafeMutablePointer<SlotContent>
    let progress: UnsafeMutablePointer<Progress>
    let tally: UnsafeMutablePointer<Tally>
    let signal: Signal

    init(regions: [UnsafeMutableRawBufferPointer], count: Int, firstCounter: UInt64) {
        self.count = count
        shared = allocateLines(count)
        contents = allocateLines(count)
        progress = allocateLines(1)
        tally = allocateLines(1)
        signal = Signal()
        for slot in 0..<count {
            (shared + slot).initialize(to: SlotShared())
            (contents + slot).initialize(to: SlotContent(bytes: regions[regions.count == count ? slot : 0]))
        }
        progress.initialize(to: Progress(firstCounter: firstCounter))
        tally.initialize(to: Tally())
    }

    /// Ends the shared words' life: the ring's last act.
    func deallocate() {
        shared.deinitialize(count: count).deallocate()
        contents.deinitialize(count: count).deallocate()
        progress.deinitialize(count: 1).deallocate()
        tally.deinitialize(count: 1).deallocate()
        signal.deallocate()
    }
}

/// Uninitialised memory that begins on a cache line (a pair of them: neighbours are fetched together).
func allocateLines<Value: ~Copyable>(_ count: Int) -> UnsafeMutablePointer<Value> {
    UnsafeMutableRawPointer.allocate(byteCount: max(128, MemoryLayout<Value>.stride * count), alignment: 128)
        .bindMemory(to: Value.self, capacity: count)
}
