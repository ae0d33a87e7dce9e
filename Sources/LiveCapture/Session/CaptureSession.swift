// SPDX-License-Identifier: MIT
// A source running into its ring, and the photos taken of it: the whole engine, wired. Read this first.

import CSystem
import Camera
import FrameRing
import Frames
import FusionKernels
import PhotoLibrary
import Threads

/// Frames of one source, and the photo output that taps are given to.
///
/// ```swift
/// let session = try CaptureSession(.camera())
/// session.start()
/// let photo = try await session.photoOutput.photo(PhotoSettings(quality: .balanced))
/// session.stop()
/// ```
///
/// The threads: `capture` fills the ring and waits for nobody; `select` looks at each frame and gives taps theirs;
/// `develop 1` ... read frames, fuse and encode; `store 1` and `2` write files; `finish` makes photos of before in quiet moments.
/// None of them is Swift's.
public final class CaptureSession: Sendable {
    /// Who delivers the frames, and what they are.
    public let description: SourceDescription
    /// How much of the past is kept.
    public let granted: GrantedCapacity
    /// How much history was asked for.
    public let history: TimeSpan
    /// What taps are given to.
    public let photoOutput: PhotoOutput
    /// What happens to the session, from `start` on. One reader only.
    public let events: AsyncStream<SessionEvent>
    /// The library that photos go into; nil where there is none.
    public var library: PhotoLibrary? { desk.archive?.library }

    private let loop: CaptureLoop
    private let desk: Desk
    private let crew: Crew
    private let store: StoreRoom
    private let finishing: IdleFinishing?
    private let selecting: FrameWatch
    /// Held while the session starts or stops, so that who stops it a second time waits for the first.
    private let thread = Guarded<SystemThread?>(nil)

    /// A session of a source that is opened here.
    public convenience init(_ source: CaptureSource, _ options: SessionOptions = SessionOptions()) throws(CameraError) {
        let gate = FollowerGate()
        try self.init(source.open(gate), gate: source.pace == .fast ? gate : nil, options)
    }

    /// A session of a source of one's own. With a gate, the source waits for what is taken of it instead of outrunning it.
    public init(
        _ source: sending any FrameSource, gate: FollowerGate? = nil, _ options: SessionOptions = SessionOptions()
    ) throws(CameraError) {
        let level = try Self.level(options)
        description = source.description
        history = options.history(of: description)
        let (plan, finishing) = try Self.plan(description, history, options)
        let loop = try CaptureLoop(
            source, capacity: RingCapacity(duration: history, byteCap: plan.ring),
            isRealTime: options.isRealTime)
        let readiness = ReadinessCoordinator()
        let desk: Desk
        do throws(PhotoError) {
            desk = try Desk(
                loop.ring, loop.description, plan, options, isFast: gate != nil,
                archive: options.library.map { [source = loop.description] in Archive($0, source) },
                finishing: finishing != nil ? FinishingGate() : nil, readiness)
        } catch { throw .noMemory(bytes: 1 << 20) }
        let store = try CameraError.wrapping { () throws(SystemShortage) in try StoreRoom(desk) }
        let crew = try Crew(desk) { number, pool throws(PhotoError) in
            try Workbench(desk, store, pool, level: level, number: number)
        }
        let (events, continuation) = AsyncStream.makeStream(
            of: SessionEvent.self, bufferingPolicy: .bufferingNewest(1000))
        do throws(SystemShortage) {
            self.finishing = try IdleFinishing(desk, options, level, budget: finishing ?? 0) { continuation.yield($0) }
        } catch {
            crew.close()
            throw .shortage(error)
        }
        (self.desk, self.store, self.crew, self.events) = (desk, store, crew, events)
        (self.loop, granted) = (loop, loop.granted)
        selecting = FrameWatch(desk, loop, gate: gate, isRealTime: options.isRealTime, continuation)
        photoOutput = PhotoOutput(desk, loop.granted, readiness)
    }

    deinit { stop() }

    /// Starts the source. Once only; nothing happens when the session was stopped before.
    public func start() {
        let watch = selecting
        thread.withLock { thread in
            guard !desk.state.withLock({ $0.isStopping }) else { return }
            watch.join()
            desk.update { $0.stream = .running }
            do throws(SystemShortage) {
                thread = try SystemThread(name: "select") { watch.run() }
                loop.start()
            } catch {
                loop.fail(.shortage(error))
                watch.fail(.shortage(error))
            }
        }
    }

    /// Stops the source, waits for the shots whose frames are there, and ends all threads. The others fail as
    /// `streamEnded`. Harmless when it has been done already.
    public func stop() {
        thread.withLock { thread in
            desk.update { $0.isStopping = true }
            loop.stop()
            thread.take()?.join()
            // Where nothing was ever started, nothing will come any more either.
            desk.streamEnded(nil)
            desk.waitUntilDone()
            crew.close()
            store.close()
            finishing?.close()
            selecting.close()
        }
    }

    /// What became of the frames so far.
    public var statistics: RingStatistics { loop.ring.statistics }
    /// The failure the source ended with, if it did.
    public var failure: CameraError? { if case .failed(let error) = loop.state { error } else { nil } }
    /// Whether no frame will come any more.
    public var hasEnded: Bool { desk.state.withLock { $0.hasEnded } }
    /// Whether the exposure has settled, or was given up on: shots of before say so.
    public var isExposureDone: Bool { desk.state.withLock { $0.isExposureDone } }
    /// Two frames are this far apart, as far as is known.
    public var frameInterval: TimeSpan { desk.interval }
    /// The ring that is being filled, for others who read along.
    public var ring: FrameRing { loop.ring }

    /// How memory is shared out, and what there is of it to finish photos in quiet moments: 0 where that is none, nil where nothing
    /// is to be finished.
    private static func plan(
        _ description: SourceDescription, _ history: TimeSpan, _ options: SessionOptions
    ) throws(CameraError) -> (MemoryPlan, finishing: Int?) {
        func plan(_ memory: Int) throws(CameraError) -> MemoryPlan {
            try MemoryPlan(
                memory, description, history: history, threads: options.threads, formats: options.formats)
        }
        let finishes = options.library != nil && options.finishingDelay != nil
        let finishing = finishes ? MemoryPlan.finishing(description.format.size, options.formats) : 0
        let wanted =
            options.memory
            ?? MemoryPlan.usual(
                description, history: history, threads: options.threads, formats: options.formats, more: finishing,
                machine: ThreadPool.physicalMemory)
        // Where addresses are limited, what is not to be had is not promised.
        let room = lc_address_room(Int32(options.threads + otherThreads))
        let memory = room < 0 ? wanted : min(wanted, max(Int(room) - otherMemory, 0))
        if finishes, let plan = try? plan(memory - finishing) { return (plan, finishing) }
        do throws(CameraError) { return (try plan(memory), finishes ? 0 : nil) } catch {
            throw memory < wanted ? .noMemory(bytes: wanted) : error
        }
    }

    /// Threads beside those that develop photos: ours, of Swift's tasks, and of the program.
    private static let otherThreads = 12 + ThreadPool.processors
    /// What libraries and the runtime take of limited addresses beside what is planned.
    private static let otherMemory = 48 << 20

    private static func level(_ options: SessionOptions) throws(CameraError) -> KernelLevel {
        do throws(FusionError) {
            let level = if let level = options.level { level } else { try KernelLevel.chosen() }
            guard level.isSupported else { throw .unsupportedLevel(level.rawValue, supported: KernelLevel.supported) }
            return level
        } catch .unsupportedLevel(let name, let supported) {
            throw .badSettings(
                "this processor has no kernels '\(name)'",
                hint: "it has \(supported.map(\.rawValue).joined(separator: ", "))")
        } catch {
            throw .badSettings("\(error)", hint: "leave the kernels to be chosen")
        }
    }
}
