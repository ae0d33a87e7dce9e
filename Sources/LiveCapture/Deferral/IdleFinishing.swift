// SPDX-License-Identifier: MIT
// Finals while a session has nothing better to do, and then the removal of what they were made of long ago.

import Frames
import FusionKernels
import PhotoLibrary
import Threads

/// Finishes a library's photos, the oldest first, in a session's quiet moments.
final class IdleFinishing: Sendable {
    private let gate: FinishingGate
    private let thread = Guarded<SystemThread?>(nil)

    /// Begins when no shot has been on its way for as long as the options say, and tells of each photo.
    /// Photos that need more than `budget` bytes are left for another process, which is told once. Nil where the session has nothing
    /// to finish.
    init?(
        _ desk: Desk, _ options: SessionOptions, _ level: KernelLevel, budget: Int,
        _ tell: @escaping @Sendable (SessionEvent) -> Void
    ) throws(SystemShortage) {
        guard let gate = desk.finishing, let library = options.library, let calm = options.finishingDelay else {
            return nil
        }
        self.gate = gate
        let finisher = PhotoFinisher(
            library, threads: desk.workers, level: level, gate: gate, givesWay: options.finishingGivesWay,
            budget: FinishingBudget(bytes: budget) { tell(.finishingLeft($0, bytes: $1)) })
        let finishing = try SystemThread(name: "finish") {
            while gate.waitForWork(idleFor: calm) {
                let heldUp = gate.timesHeldUp
                do throws(LibraryError) {
                    switch try finisher.finish() {
                    case .finished(let photo, let account):
                        if gate.timesHeldUp == heldUp { desk.learn(final: account, of: photo.size) }
                        tell(.photoFinished(photo))
                    case .failed(let photo, let reason): tell(.photoUnfinished(photo.id, reason: reason))
                    case nil:
                        Self.cleanUp(library, options.cleanUp, gate, tell)
                        continue
                    }
                    gate.noteWork()
                } catch {
                    // Tried again with the next photo that is left for later, or by the next program.
                    tell(.finishingFailed(error))
                }
            }
        }
        thread.withLock { $0 = finishing }
    }

    /// Removes what no photo needs any more, held up by shots as all work here is. Not at a lower priority: who has the
    /// library's locks must not be kept from the processor.
    private static func cleanUp(
        _ library: PhotoLibrary, _ policy: CleanUpPolicy?, _ gate: FinishingGate, _ tell: (SessionEvent) -> Void
    ) {
        guard let policy, !gate.hasClosed else { return }
        do throws(LibraryError) {
            let report = try library.cleanUp(policy) {
                gate.pause()
                return !gate.hasClosed
            }
            if report.removedFiles > 0 { tell(.cleanedUp(report)) }
        } catch {
            // Tried again when the next photo is finished, or by the next program.
            tell(.cleanUpFailed(error))
        }
    }

    /// Ends it, with the photo it is at given up unless it is nearly done: it stays to be finished.
    func close() {
        gate.close()
        thread.withLock { $0.take() }?.join()
    }
}
