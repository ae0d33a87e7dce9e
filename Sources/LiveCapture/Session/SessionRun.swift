// SPDX-License-Identifier: MIT
// Connects a source, its ring, and everything that takes photos from it: the whole engine. Read this file first.

import Camera
import Developing
import FrameRing
import Fusion
import LivecapFrames
import LivecapStills
import LivecapThreads
import PhotoStorage

/// One run of a session: a source that is open, from then until all that came of it is done.
///
/// Its threads, none of which is Swift's own: `capture` fills the ring and waits for nothing; `select` looks at each
/// frame and serves the taps that wait for it; `develop 1` and following read frames, fuse and encode; `store 1` and
/// `store 2` write files; `finish` makes the finals of deferred photos while the session is idle.
final class SessionRun: Sendable {
    let description: SourceDescription
    let granted: GrantedCapacity
    let history: Duration
    let desk: Desk
    let gate: FollowerGate?
    /// Rings after each frame, and at the end.
    let arrivals = AsyncBell()

    private let threads: Int
    private let formats: Set<StillFormat>
    private let loop: CaptureLoop
    private let crew: Crew
    private let store: StoreRoom
    private let finishing: IdleFinishing?
    private let selecting: FrameWatch
    /// Locked while the run begins or ends, so that a concurrent second `end()` waits for the first.
    private let thread = Guarded<SystemThread?>(nil)

    /// Prepares a run of an open source. With a `gate`, the source waits for the session instead of outrunning it.
    /// Shots are numbered on from those of `previous`, and its switches stay.
    init(
        _ source: sending any FrameSource, gate: FollowerGate?, _ options: SessionOptions,
        _ readiness: ReadinessCoordinator, _ events: EventLog<SessionEvent>, after previous: SessionRun? = nil
    ) throws(CameraError) {
        let level = try Self.level(options)
        (description, self.gate) = (source.description, gate)
        history = options.history(of: description)
        (threads, formats) = (options.threads, options.formats)
        let (plan, finishing) = try Self.plan(description, history, options)
        let loop = try CaptureLoop(
            source, capacity: RingCapacity(duration: history, byteCap: plan.ring),
            isRealTime: options.isRealTime)
        let desk: Desk
        do throws(PhotoError) {
            desk = try Desk(
                loop.ring, loop.description, plan, options, isFast: gate != nil,
                archive: options.library.map { [source = loop.description] in Archive($0, source) },
                finishing: finishing != nil ? FinishingGate() : nil, readiness, after: previous?.desk)
        } catch { throw .noMemory(bytes: 1 << 20) }
        let store = try CameraError.wrapping { () throws(SystemShortage) in try StoreRoom(desk) }
        let crew = try Crew(desk) { number, pool throws(PhotoError) in
            try Workbench(desk, store, pool, level: level, number: number)
        }
        do throws(SystemShortage) {
            self.finishing = try IdleFinishing(desk, options, level, budget: finishing ?? 0) { events.add($0) }
        } catch {
            crew.close()
            throw .shortage(error)
        }
        (self.desk, self.store, self.crew) = (desk, store, crew)
        (self.loop, granted) = (loop, loop.granted)
        selecting = FrameWatch(desk, loop, gate: gate, isRealTime: options.isRealTime, events, arrivals)
    }

    /// Starts the source. To be called once; does nothing if the run was ended before.
    func begin() {
        let watch = selecting
        thread.withLock { thread in
            guard desk.startStream() else { return }
            watch.join()
            do throws(SystemShortage) {
                thread = try SystemThread(name: "select") { watch.run() }
                loop.start()
            } catch {
                loop.fail(.shortage(error))
                watch.fail(.shortage(error))
            }
        }
    }

    /// Stops the source, finishes the shots whose frames have arrived, and ends all threads. All other shots fail as
    /// `streamEnded`. May be called again without effect.
    func end() {
        thread.withLock { thread in
            desk.stopStream()
            loop.stop()
            thread.take()?.join()
            // If nothing was ever started, no frame will come either.
            desk.streamEnded(nil)
            desk.waitUntilDone()
            crew.close()
            store.close()
            finishing?.close()
            arrivals.ring()
        }
    }

    /// Cancels every shot that is not stored yet.
    func cancelAll() {
        desk.stopStream()
        desk.cancelAll()
    }

    /// The failure the source ended with, if any.
    var failure: CameraError? { if case .failed(let error) = loop.state { error } else { nil } }
    /// Whether there is a history to take photos from.
    var keepsHistory: Bool { granted.duration > .zero }
    /// The ring being filled.
    var ring: Ring { loop.ring }

    /// Divides the memory. `finishing` is the number of bytes for finishing photos while the session is idle: 0 if
    /// there are none to spare, nil if the session finishes no photos.
    private static func plan(
        _ description: SourceDescription, _ history: Duration, _ options: SessionOptions
    ) throws(CameraError) -> (MemoryPlan, finishing: Int?) {
        func plan(_ memory: Int) throws(CameraError) -> MemoryPlan {
            try MemoryPlan(
                memory, description, history: history, threads: options.threads, formats: options.formats)
        }
        let finishes = options.library != nil && options.finishingDelay != nil
        let finishing = finishes ? PhotoMemory.finishing(description.format, options.formats) : 0
        let wanted =
            options.memory
            ?? MemoryPlan.usual(
                description, history: history, threads: options.threads, formats: options.formats, more: finishing,
                machine: ThreadPool.physicalMemory)
        // With a limited address space, memory that cannot be had is not promised.
        let memory = min(wanted, AddressSpace.room(besideThreads: options.threads + otherThreads))
        if finishes, let plan = try? plan(memory - finishing) { return (plan, finishing) }
        do throws(CameraError) { return (try plan(memory), finishes ? 0 : nil) } catch {
            throw memory < wanted ? .shortage(.addresses) : error
        }
    }

    /// The memory that a session like this needs to keep `history`; nil if no amount suffices.
    func memory(forHistory history: Duration) -> Int? {
        let plan = RingCapacity(duration: history, byteCap: .max).plan(
            format: description.format, rate: description.rate, reserve: description.reserve)
        guard plan?.limit == .asked else { return nil }
        return MemoryPlan.whole(description, history: history, threads: threads, formats: formats)
    }

    /// Threads other than those that develop photos: the engine's, those of Swift's tasks, and the program's.
    private static let otherThreads = 12 + ThreadPool.processors

    private static func level(_ options: SessionOptions) throws(CameraError) -> KernelLevel {
        do throws(FusionError) {
            let level = if let level = options.level { level } else { try KernelLevel.chosen() }
            guard level.isSupported else { throw .unsupportedLevel(level.rawValue, supported: KernelLevel.supported) }
            return level
        } catch {
            throw .badSettings(error.message, hint: error.hint)
        }
    }
}
