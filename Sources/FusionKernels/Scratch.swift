// SPDX-License-Identifier: MIT
// Memory a stage works in, asked for once.

import CSystem

/// Uninitialised-on-purpose elements of a trivial type, kept between shots. Whoever owns it says which thread writes what.
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
    /// Memory that begins with a line of the cache: where it does not, every other vector of half a line lies in two. Planes
    /// and the like are on large pages: what lies on small ones, processors have to look for.
    static func allocate(inLines count: Int) -> Self {
        let bytes = count * MemoryLayout<Pointee>.stride
        guard isLarge(bytes) else {
            return UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 64)
                .bindMemory(to: Pointee.self, capacity: count)
        }
        return PlaneMemory.mapped(bytes).bindMemory(to: Pointee.self, capacity: count)
    }

    /// Gives such memory back, all of it.
    func deallocate(inLines count: Int) {
        let bytes = count * MemoryLayout<Pointee>.stride, memory = UnsafeMutableRawPointer(self)
        if Self.isLarge(bytes) { lc_unmap_memory(memory, bytes) } else { memory.deallocate() }
    }

    private static func isLarge(_ bytes: Int) -> Bool { bytes >= 2 << 20 }
}
