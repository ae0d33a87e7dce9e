// SPDX-License-Identifier: MIT
// Makes finals while a session is idle, and then removes the source frames that are no longer needed.

import Fusion
import LivecapDeveloping
import LivecapFrames
import LivecapPhotoStorage
import LivecapThreads

/// Finishes a library's photos while the session is idle, oldest first. Photos whose finals a program is waiting for
/// come before all others, and do not wait for the session to be idle.
final class IdleFinishing: Sendable {
    private let gate: FinishingGate
    /// Has it notice what is asked for.
    private let listening: any AnyObject & Sendable
    private let thread = Guarded<SystemThread?>(nil)

    /// Starts once no shot has been in progress for `options.finishingDelay`, or a program is waiting for a final, and
    /// reports each photo to `announce`. Photos that need more than `budget` bytes are left for another process, which
    /// is reported once. Nil if the session has nothing to finish.
    init?(
        _ desk: Desk, options: SessionOptions, level: KernelLevel, budget: Int,
        announce: @escaping @Sendable (SessionEvent) -> Void
    ) throws(SystemShortage) {
        guard let gate = desk.finishing, let library = options.library, let calm = options.finishingDelay else {
            return nil
        }
        self.gate = gate
        listening = library.demand.listen { [weak gate] in gate?.noteWork() }
        let finisher = PhotoFinisher(
            library, threads: desk.workers, level: level, gate: gate, isLowPriority: options.finishingGivesWay,
            budget: FinishingBudget(bytes: budget, countsEffects: options.photosMayHaveEffects) {
                announce(.photoTooLargeToFinish($0, bytes: $1))
            })
        let finishing = try SystemThread(name: "finish") {
            while gate.waitForWork(idleFor: calm) {
                let heldUp = gate.timesHeldUp
                do throws(LibraryError) {
                    switch try finisher.finish() {
                    case .finished(let photo, let account):
                        if gate.timesHeldUp == heldUp { desk.learn(final: account, of: photo.size) }
                        announce(.photoFinished(photo))
                    case .failed(let photo, let reason): announce(.photoUnfinished(photo.id, reason: reason))
                    case nil:
                        Self.cleanUp(library, policy: options.cleanUp, gate: gate, announce: announce)
                        continue
                    }
                    gate.noteWork()
                } catch {
                    // Retried with the next deferred photo, when a program asks for it, or by the next process.
                    library.demand.settleAll()
                    announce(.finishingFailed(error))
                }
            }
        }
        thread.withLock { $0 = finishing }
    }

    /// Removes files no photo needs any more, pausing for shots like all work here. It runs at normal priority, because
    /// a thread that holds the library's locks must not be kept from the processor.
    private static func cleanUp(
        _ library: PhotoLibrary, policy: CleanUpPolicy?, gate: FinishingGate, announce: (SessionEvent) -> Void
    ) {
        guard let policy, !gate.hasClosed else { return }
        do throws(LibraryError) {
            let report = try library.cleanUp(policy) {
                gate.pause()
                return !gate.hasClosed
            }
            if report.removedFiles > 0 || report.removedPhotos > 0 { announce(.cleanedUp(report)) }
        } catch {
            // Retried after the next photo is finished, or by the next process.
            announce(.cleanUpFailed(error))
        }
    }

    /// Stops the thread. The photo it works on is abandoned unless it is nearly done; it remains to be finished.
    func close() {
        gate.close()
        thread.withLock { $0.take() }?.join()
    }
}
