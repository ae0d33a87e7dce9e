// SPDX-License-Identifier: MIT
// Memory for one operand, placed so that an access out of bounds is noticed.

import Glibc

/// Where a buffer is placed.
enum Placement: CaseIterable {
    /// On the heap, at odd addresses. An input ends with its allocation, so that the address sanitizer notices reads
    /// past it; an output lies between canaries.
    case heap
    /// At the end of the last accessible page.
    case beforeProtectedPage
    /// At the start of the first accessible page.
    case afterProtectedPage
}

/// The memory of one operand.
final class Block {
    /// The operand's first sample.
    let start: UnsafeMutableRawPointer
    /// The operand's samples, and the bytes around them that must not change.
    let watched: UnsafeMutableRawBufferPointer
    private let mapping: UnsafeMutableRawBufferPointer?

    private static let canary = UInt8(0xA5)
    private static let canaries = Shape.widest

    /// Allocates memory for `operand`; on the heap, it starts `shift` samples after a multiple of its alignment.
    init(_ operand: Operand, _ placement: Placement, shift: Int) {
        let bytes = operand.count * operand.bytesEach
        switch placement {
        case .heap:
            let isRead = if case .input = operand.role { true } else { false }
            // An alignment beyond the sample's own is a requirement, so nothing is shifted then.
            let shift = operand.alignment > operand.bytesEach ? 0 : shift * operand.bytesEach
            let before = isRead ? shift : shift + Self.canaries
            let all = before + bytes + (isRead ? 0 : Self.canaries)
            watched = .allocate(byteCount: all, alignment: max(Shape.widest, operand.alignment))
            watched.initializeMemory(as: UInt8.self, repeating: Self.canary)
            start = watched.baseAddress! + before
            mapping = nil
        case .beforeProtectedPage, .afterProtectedPage:
            let page = Int(sysconf(Int32(_SC_PAGESIZE)))
            let room = max(page, (bytes + page - 1) / page * page)
            let all = mmap(nil, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
            precondition(all != MAP_FAILED, "no memory")
            mapping = UnsafeMutableRawBufferPointer(start: all, count: room + page)
            if placement == .afterProtectedPage {
                mprotect(all, page, PROT_NONE)
                start = all + page
                watched = UnsafeMutableRawBufferPointer(start: start, count: room)
            } else {
                mprotect(all + room, page, PROT_NONE)
                start = UnsafeMutableRawPointer(bitPattern: Int(bitPattern: all + room - bytes) & -operand.alignment)!
                watched = UnsafeMutableRawBufferPointer(start: all, count: room)
            }
        }
    }

    deinit {
        if let mapping { munmap(mapping.baseAddress, mapping.count) } else { watched.deallocate() }
    }
}
