// SPDX-License-Identifier: MIT
// Which photos a session has the memory to finish.

import PhotoLibrary
import Threads

/// The memory there is to finish photos in, and those that need more: they are left for a process that has it.
final class FinishingBudget: Sendable {
    private let bytes: Int
    private let left = Guarded<Set<PhotoID>>([])
    private let tell: @Sendable (PhotoID, Int) -> Void

    /// Of so many bytes; `tell` is called with the first photo that needs more, and what it needs.
    init(bytes: Int, _ tell: @escaping @Sendable (PhotoID, Int) -> Void) { (self.bytes, self.tell) = (bytes, tell) }

    /// The photos that were found to need more.
    var tooLarge: Set<PhotoID> { left.withLock { $0 } }

    /// Whether a photo can be finished in it, by the size and number of its own frames.
    func takes(_ claim: borrowing FinishingClaim) -> Bool {
        // What cannot be read is failed by name, which takes no memory.
        guard let request = try? PhotoRequest(claim.account.request) else { return true }
        let need = MemoryPlan.finishing(
            claim.photo.size, [request.settings.format], frames: request.frames.count)
        guard need > bytes else { return true }
        let id = claim.photo.id
        let isFirst = left.withLock { left in
            defer { left.insert(id) }
            return left.isEmpty
        }
        if isFirst { tell(id, need) }
        return false
    }
}
