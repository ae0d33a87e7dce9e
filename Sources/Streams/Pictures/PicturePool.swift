// SPDX-License-Identifier: MIT
// The memory of one kind of picture, used again and again.

import LivecapThreads

/// Memory for pictures of one format. It is allocated when first needed, and freed with the pool, which lives as long
/// as its last picture.
package final class PicturePool: Sendable {
    /// The maximum number of pictures.
    package let limit: Int
    private let byteCount: Int
    private let prepare: @Sendable (PictureMemory) -> Void
    private let state = Guarded(State())

    private struct State: Sendable {
        var free: [PictureMemory] = []
        var made = 0
    }

    /// Creates a pool of at most `limit` pictures of `byteCount` bytes. `prepare` is called with memory that is new.
    package init(limit: Int, byteCount: Int, prepare: @escaping @Sendable (PictureMemory) -> Void) {
        self.limit = limit
        self.byteCount = byteCount
        self.prepare = prepare
    }

    deinit { state.withLock { $0.free }.forEach { $0.bytes.deallocate() } }

    /// Memory for a picture; nil if all of it is in use.
    package func take() -> PictureMemory? {
        let (free, isNew) = state.withLock { state -> (PictureMemory?, Bool) in
            if let free = state.free.popLast() { return (free, false) }
            guard state.made < limit else { return (nil, false) }
            state.made += 1
            return (nil, true)
        }
        guard isNew else { return free }
        let made = PictureMemory(bytes: .allocate(byteCount: byteCount, alignment: 64))
        prepare(made)
        return made
    }

    /// Takes back memory that nobody uses any more.
    package func giveBack(_ memory: PictureMemory) { state.withLock { $0.free.append(memory) } }
}
