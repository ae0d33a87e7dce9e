// SPDX-License-Identifier: MIT
// Memory a stage works in, asked for once.

/// Uninitialised-on-purpose elements of a trivial type, kept between shots. Whoever owns it says which thread writes what.
final class Scratch<Element: BitwiseCopyable>: @unchecked Sendable {
    let base: UnsafeMutablePointer<Element>
    let count: Int

    init(_ count: Int, filledWith element: Element) {
        self.count = count
        base = .allocate(inLines: max(1, count))
        base.initialize(repeating: element, count: max(1, count))
    }

    deinit { UnsafeMutableRawPointer(base).deallocate() }

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
    /// Memory that begins with a line of the cache: where it does not, every other vector of half a line lies in two. It is
    /// given back as raw memory.
    static func allocate(inLines count: Int) -> Self {
        UnsafeMutableRawPointer.allocate(byteCount: count * MemoryLayout<Pointee>.stride, alignment: 64)
            .bindMemory(to: Pointee.self, capacity: count)
    }
}
