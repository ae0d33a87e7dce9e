// SPDX-License-Identifier: MIT
// Working memory that a stage allocates once and keeps.

import LivecapCSystem

/// An array of a trivial type, kept between shots: elements hold leftovers until they are written. Its owner decides
/// which thread writes what.
final class Scratch<Element: BitwiseCopyable>: @unchecked Sendable {
    let base: UnsafeMutablePointer<Element>
    let count: Int

    init(_ count: Int, filledWith element: Element) {
        self.count = count
        base = .allocate(inLines: max(1, count))
        base.initialize(repeating: element, count: max(1, count))
    }

    deinit { base.deallocate(inLines: max(1, count)) }

    subscript(index: Int) -> Element {
        get {
            assert(index >= 0 && index < count)
            return base[index]
        }
        set {
            assert(index >= 0 && index < count)
            base[index] = newValue
        }
    }

    func fill(_ element: Element) { base.update(repeating: element, count: count) }
}

extension UnsafeMutablePointer {
    /// Allocates memory that starts on a cache line. Otherwise, every other half-line vector would straddle two
    /// lines. Blocks of 2 MiB and more, such as planes, are put on large pages, whose addresses the processor need
    /// not look up as often.
    static func allocate(inLines count: Int) -> Self {
        let bytes = count * MemoryLayout<Pointee>.stride
        guard isLarge(bytes) else {
            return UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 64)
                .bindMemory(to: Pointee.self, capacity: count)
        }
        return PlaneMemory.mapped(bytes).bindMemory(to: Pointee.self, capacity: count)
    }

    /// Frees memory that `allocate(inLines:)` returned. `count` must be the same.
    func deallocate(inLines count: Int) {
        let bytes = count * MemoryLayout<Pointee>.stride, memory = UnsafeMutableRawPointer(self)
        if Self.isLarge(bytes) { lc_unmap_memory(memory, bytes) } else { memory.deallocate() }
    }

    private static func isLarge(_ bytes: Int) -> Bool { bytes >= 2 << 20 }
}
