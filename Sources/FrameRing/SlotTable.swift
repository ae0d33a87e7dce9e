// SPDX-License-Identifier: MIT
// The ring's shared words, at fixed addresses; words with different writers lie on different cache lines.

import LivecapFrames
import Synchronization

/// The index of a slot in its ring.
package typealias SlotIndex = Int

/// The state of a slot that threads share. Each slot has a cache line of its own, so that pinning or publishing one
/// does not disturb users of another.
struct SlotShared: ~Copyable {
    /// A `SlotWord`.
    let word = Atomic<UInt64>(0)
    /// The frame's time in nanoseconds. Valid only if the word's generation has not changed.
    let time = Atomic<Int64>(0)
    /// A `FrameTag`. Valid under the same condition as the time.
    let tag = Atomic<UInt64>(0)
    private let padding = (UInt64(0), UInt64(0), UInt64(0), UInt64(0), UInt64(0))
}

/// The contents of a slot. Written only by the producer while it owns the slot; read only under a pin.
struct SlotContent {
    var metadata = FrameMetadata(time: .zero, byteCount: 0)
    var bytes: UnsafeMutableRawBufferPointer
}

/// The words that readers check first. The producer writes them with every frame.
struct Progress: ~Copyable {
    /// All frames with counters below this one have been published.
    let published: Atomic<UInt64>
    /// The time of the newest published frame in nanoseconds; `Int64.min` if there is none.
    let newestTime = Atomic<Int64>(.min)
    let hasEnded = Atomic<Bool>(false)
    private let padding = (UInt64(0), UInt64(0), UInt64(0), UInt64(0), UInt64(0))

    init(firstCounter: UInt64) { published = Atomic(firstCounter) }
}

/// The addresses of everything the producer and the readers share. A plain value, copied into the producer, so that the
/// frame path touches neither the ring object nor its reference count. The ring owns the memory behind the addresses
/// and outlives every copy.
struct SlotTable: @unchecked Sendable {  // safe: the addresses never change; the slot protocol governs access
    let count: Int
    let shared: UnsafeMutablePointer<SlotShared>
    let contents: UnsafeMutablePointer<SlotContent>
    let progress: UnsafeMutablePointer<Progress>
    let tally: UnsafeMutablePointer<Tally>
    let signal: Signal
    /// What readers of other processes go by; nil if there can be none.
    let directory: RingDirectory?

    init(
        regions: [UnsafeMutableRawBufferPointer], count: Int, firstCounter: UInt64, directory: RingDirectory? = nil
    ) {
        self.count = count
        self.directory = directory
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

    /// Frees the shared words. Called only by the ring's `deinit`.
    func deallocate() {
        shared.deinitialize(count: count).deallocate()
        contents.deinitialize(count: count).deallocate()
        progress.deinitialize(count: 1).deallocate()
        tally.deinitialize(count: 1).deallocate()
        signal.deallocate()
    }
}

/// Allocates uninitialised memory aligned to 128 bytes: a pair of cache lines, because neighbouring lines are fetched
/// together.
func allocateLines<Value: ~Copyable>(_ count: Int) -> UnsafeMutablePointer<Value> {
    UnsafeMutableRawPointer.allocate(byteCount: max(128, MemoryLayout<Value>.stride * count), alignment: 128)
        .bindMemory(to: Value.self, capacity: count)
}
