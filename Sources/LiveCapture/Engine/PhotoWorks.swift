// SPDX-License-Identifier: MIT
// What makes the photos of a run: the workers, the threads that store files, and the one that makes finals.

import Fusion
import LivecapDeveloping
import LivecapThreads

/// The threads behind a desk. A run that takes no photos has none.
final class PhotoWorks: Sendable {
    private let crew: Guarded<Crew>
    /// Makes a crew, of so many workers at most.
    private let makeCrew: @Sendable (_ size: Int) throws(CameraError) -> Crew
    private let store: StoreRoom
    private let finishing: IdleFinishing?

    /// Starts them. `finishing` is the number of bytes for finishing photos while the session is idle.
    init(
        _ desk: Desk, options: SessionOptions, level: KernelLevel, finishing: Int,
        events: EventLog<SessionEvent>
    ) throws(CameraError) {
        let store = try CameraError.wrapping { () throws(SystemShortage) in try StoreRoom(desk) }
        makeCrew = { size throws(CameraError) in
            try Crew(desk, size: size) { number, pool throws(PhotoError) in
                try Workbench(desk, store, pool, level: level, number: number)
            }
        }
        let crew = try makeCrew(desk.workers)
        do throws(SystemShortage) {
            self.finishing = try IdleFinishing(desk, options: options, level: level, budget: finishing) {
                events.add($0)
            }
        } catch {
            crew.close()
            throw .shortage(error)
        }
        self.store = store
        self.crew = Guarded(crew)
    }

    /// Gives most of their memory back. Photos are made one at a time from here on, and no finals.
    func retire() {
        finishing?.close()
        crew.withLock { crew in
            // The memory of a crew that cannot be replaced is not freed.
            guard let small = try? makeCrew(1) else { return }
            crew.close()
            crew = small
        }
    }

    /// Ends all threads, once the desk has no more work for them.
    func close() {
        crew.withLock { $0.close() }
        store.close()
        finishing?.close()
    }
}
