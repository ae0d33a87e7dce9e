// SPDX-License-Identifier: MIT
// Small rings, frames with verifiable bytes, and threads, shared by the tests of the ring.

import Glibc
import LivecapFrames

@testable import FrameRing

/// A ring of `slots` slots of `bytesEach` bytes.
func makeRing(
    slots: Int, reserve: Int = 1, bytesEach: Int = 64, firstCounter: UInt64 = 0
) -> Ring {
    let memory = SlotMemory.slabs(count: slots, bytesEach: bytesEach)!
    return Ring(format: opaque(bytesEach), memory: memory, reserve: reserve, firstCounter: firstCounter)
}

/// The same in memory that other processes may read.
func makeSharedRing(slots: Int, bytesEach: Int = 64) -> Ring {
    let memory = SlotMemory.slabs(count: slots, bytesEach: bytesEach, sharedSlots: slots)!
    return Ring(format: opaque(bytesEach), memory: memory, reserve: 1)
}

/// A compact ring of `slots` slots in a region of `bytes` bytes.
func makeCompactRing(slots: Int, bytes: Int, reserve: Int = 1) -> Ring {
    let region = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes, alignment: 64)
    nonisolated(unsafe) let owned = region
    let memory = SlotMemory(borrowing: [region]) { owned.deallocate() }
    return Ring(format: opaque(bytes), memory: memory, compactSlots: slots, reserve: reserve)
}

private func opaque(_ byteCount: Int) -> FrameFormat {
    FrameFormat(
        pixelFormat: PixelFormat("TEST"), size: FrameSize(width: 1, height: 1), bytesPerLine: 0, byteCount: byteCount,
        colorimetry: .webcam)
}

/// The time of a test's frame: frame n is at n * 10 ms.
func time(_ frame: Int) -> Timestamp { Timestamp(nanoseconds: Int64(frame) * 10_000_000) }

extension RingProducer {
    /// Publishes a frame of `byteCount` bytes at `time(number)`, filled from `seed` plus the number. If it has to be
    /// dropped, the drop is counted and nil returned.
    @discardableResult
    mutating func fill(
        _ number: Int, seed: UInt64 = 0, byteCount: Int = 64, damage: Damage = .none
    ) -> FrameID? {
        guard let slot = claim(byteCount: byteCount) else {
            drop()
            return nil
        }
        let target = UnsafeMutableRawBufferPointer(rebasing: bytes(of: slot)[..<byteCount])
        Payload.write(seed &+ UInt64(number), to: target)
        return publish(slot, FrameMetadata(time: time(number), byteCount: byteCount, damage: damage))
    }

    /// Whether no slot for `byteCount` bytes can be claimed. A successful claim is discarded.
    mutating func cannotClaim(_ byteCount: Int) -> Bool {
        guard let slot = claim(byteCount: byteCount) else { return true }
        discard(slot)
        return false
    }

    /// Publishes the frames of `range`. Traps if one has to be dropped.
    mutating func fill(_ range: Range<Int>) {
        for number in range { precondition(fill(number) != nil, "the ring is full") }
    }
}

/// Bytes derived from a seed, so that a frame mixed from two seeds is detected.
enum Payload {
    static func write(_ seed: UInt64, to bytes: UnsafeMutableRawBufferPointer) {
        var state = seed
        for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
            bytes.storeBytes(of: state, toByteOffset: offset, as: UInt64.self)
            state = next(state)
        }
    }

    /// The seed the bytes were written from; nil if they do not all derive from one seed.
    static func seed(of bytes: RawSpan) -> UInt64? {
        let first = bytes.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt64.self)
        var state = first
        for offset in stride(from: 0, to: bytes.byteCount - 7, by: 8) {
            guard bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self) == state else { return nil }
            state = next(state)
        }
        return first
    }

    private static func next(_ state: UInt64) -> UInt64 { state &* 6_364_136_223_846_793_005 &+ 1 }
}

extension FrameLease {
    /// The seed of the frame's bytes; nil if the frame is torn.
    var seed: UInt64? { withBytes { Payload.seed(of: $0) } }
    /// The frame's position in the stream.
    var counter: UInt64 { metadata.id.counter }
}

extension FrameWindow {
    /// The frames' counters, oldest first.
    var counters: [UInt64] { (0..<count).map { metadata($0).id.counter } }
}

extension Ring {
    /// Whether frame `number` of epoch 0 can be leased.
    func has(_ number: Int) -> Bool {
        guard let lease = lease(id: FrameID(epoch: 0, counter: UInt64(number))) else { return false }
        return lease.counter == UInt64(number)
    }
}

extension Ring {
    /// The newest frame's counter.
    var newest: UInt64? {
        guard let lease = leaseNewest() else { return nil }
        return lease.counter
    }

    /// The counter of the frame nearest `time`.
    func nearest(_ time: Timestamp) -> UInt64? {
        guard let lease = lease(nearest: time) else { return nil }
        return lease.counter
    }

    /// The counters of a window's frames.
    func counters(around time: Timestamp, before: Int, after: Int = 0) -> [UInt64]? {
        guard let window = window(around: time, before: before, after: after) else { return nil }
        return window.counters
    }
}

/// Thrown if a value that a test needs is missing.
struct Missing: Error {}

/// Unwraps a value or throws. (The testing library's `#require` does not accept noncopyable values.)
func need<Value: ~Copyable>(_ value: consuming Value?) throws -> Value {
    guard let value else { throw Missing() }
    return value
}

/// Whether a noncopyable value is nil.
func isNil<Value: ~Copyable>(_ value: consuming Value?) -> Bool {
    guard let value else { return true }
    _ = consume value
    return false
}

/// Runs bodies on threads of their own and waits for all of them. Tests block, which the cooperative pool must not.
func concurrently(_ bodies: [@Sendable () -> Void]) {
    final class Box {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
    let threads = bodies.map { body in
        var thread = pthread_t()
        let box = Unmanaged.passRetained(Box(body))
        let result = pthread_create(
            &thread, nil,
            { argument in
                Unmanaged<Box>.fromOpaque(argument!).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        precondition(result == 0, "pthread_create gave \(result)")
        return thread
    }
    for thread in threads { pthread_join(thread, nil) }
}

/// The number of rounds of a repetitive test. A tenth under a sanitizer, which slows each round down.
func rounds(_ count: Int) -> Int {
    getenv("LIVECAP_SANITIZER") == nil ? count : count / 10
}

/// Yields until another thread has made the condition true.
func wait(until isThere: () -> Bool) {
    while !isThere() { sched_yield() }
}
