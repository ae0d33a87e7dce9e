// SPDX-License-Identifier: MIT
// Decides which photos a session has enough memory to finish.

import LivecapFrames
import LivecapPhotoStorage
import LivecapThreads

/// The memory available for finishing photos. Photos that need more are left for a process that has it.
package final class FinishingBudget: Sendable {
    private let bytes: Int
    private let countsEffects: Bool
    private let left = Guarded<Set<PhotoID>>([])
    private let announce: @Sendable (PhotoID, Int) -> Void

    /// A budget of `bytes`. `countsEffects`: it has room for effects, so what they take is counted. Without that room,
    /// photos with effects are finished all the same, and take more. `announce` is called once, with the first photo
    /// that needs more and how many bytes it needs.
    package init(
        bytes: Int, countsEffects: Bool = false, _ announce: @escaping @Sendable (PhotoID, Int) -> Void
    ) {
        self.bytes = bytes
        self.countsEffects = countsEffects
        self.announce = announce
    }

    /// Records that a photo was found to need more memory than there is, or an encoder that this machine lacks.
    package func leave(_ id: PhotoID) { left.withLock { _ = $0.insert(id) } }

    /// The photos found to need more than this machine has.
    var tooLarge: Set<PhotoID> { left.withLock { $0 } }

    /// The bytes that finishing a photo takes.
    func need(of request: PhotoRequest, _ format: FrameFormat) -> Int {
        PhotoMemory.finishing(
            format, [request.settings.format], frames: request.frames.count,
            withEffects: countsEffects && request.settings.drawnEffects != nil)
    }

    /// Whether the budget suffices for a photo, judged by the format and number of its own frames.
    package func takes(_ claim: borrowing FinishingClaim, of format: FrameFormat) -> Bool {
        // An unreadable request is only recorded as a failure, which takes no memory.
        guard let request = try? PhotoRequest(claim.account.request) else { return true }
        let need = need(of: request, format)
        guard need > bytes else { return true }
        let id = claim.photo.id
        let isFirst = left.withLock { left in
            defer { left.insert(id) }
            return left.isEmpty
        }
        if isFirst { announce(id, need) }
        return false
    }
}
