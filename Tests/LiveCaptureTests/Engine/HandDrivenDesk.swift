// SPDX-License-Identifier: MIT
// The engine without its threads: a test publishes each frame and does each piece of work itself.

import Camera
import FrameRing
import Fusion
import LivecapFrames
import LivecapPhotoStorage

@testable import LiveCapture
@testable import LivecapDeveloping

/// A desk, a single worker's bench and a ring, all driven by the test.
final class HandDrivenDesk {
    let hand: HandFilledRing
    let desk: Desk
    private let store: StoreRoom
    private let bench: Workbench

    /// Makes a desk with room for this number of shots at once.
    init(
        shots: Int = 8, history: Int = 40, format: FrameFormat = HandFilledRing.format, clock: SourceClock = .own,
        isFast: Bool = false, library: PhotoLibrary? = nil, finishing: FinishingGate? = nil,
        power: SourcePower? = nil, _ change: (inout SessionOptions) -> Void = { _ in }
    ) throws {
        var options = SessionOptions()
        (options.threads, options.level) = (1, .portable)
        change(&options)
        hand = HandFilledRing(format, history: history)
        let description = SourceDescription(
            name: "hand", identity: "hand", format: format, rate: FrameRate(100), clock: clock)
        let memory = Self.memory(for: shots, of: format)
        let plan = try MemoryPlan(memory, description, history: .zero, threads: 1)
        precondition(plan.shots == shots, "the memory is for another number of shots")
        desk = try Desk(
            hand.ring, description: description, plan: plan, options: options, isFast: isFast,
            archive: library.map { Archive($0, description) },
            finishing: finishing, power: power, readiness: ReadinessCoordinator())
        store = try StoreRoom(desk)
        let pool = WorkerPool(desk, WorkBoard(spinNanoseconds: 0), size: 1)
        bench = try Workbench(desk, store, pool, level: .portable, number: 0)
        _ = desk.startStream()
    }

    deinit { store.close() }

    /// The least memory of a plan with one worker, plus that of each further shot.
    static func memory(for shots: Int, of format: FrameFormat) -> Int {
        let pixels = format.size.area
        let frame = Fuser.keepsFractions(of: format) ? 8 : 4
        return (59 + 16 * frame + 6 + (shots - 1) * 4 * 6) * pixels + RingCapacity.minBytes(format: format)
    }

    /// Publishes a frame and passes it to the desk.
    @discardableResult
    func frame(at milliseconds: Double, damage: Damage = .none, bytes: [UInt8]? = nil) -> FrameMetadata {
        let frame = hand.frame(at: milliseconds, damage: damage, bytes: bytes)
        desk.frameArrived(frame)
        return frame
    }

    /// Publishes frames `numbers`, 10 ms apart.
    func frames(_ numbers: Range<Int>) { for number in numbers { frame(at: Double(10 * number)) } }

    func tap(
        at milliseconds: Double, _ settings: PhotoSettings = PhotoSettings(quality: .mean),
        into files: PhotoFiles? = nil
    ) -> PhotoCapture {
        desk.submit(settings, at: .at(moment(milliseconds)), into: files, number: nil, nil)
    }

    /// The next piece of work.
    func takeJob() -> Job? { desk.takeJob() }
    func perform(_ job: Job) { bench.perform(job) }
    /// Reads every frame that waits to be read.
    func read() { while let job = desk.takeJob(framesOnly: true) { perform(job) } }
    /// Does all the work there is.
    func work() { while let job = takeJob() { perform(job) } }

    /// The number of shots in each stage: "waiting 1, reading 0, ready 0, in work 0".
    var places: String {
        desk.state.withLock {
            "waiting \($0.shots.waiting.count), reading \($0.shots.reading.count), ready \($0.shots.ready.count), "
                + "in work \($0.shots.inWork.count)"
        }
    }

    /// Whether no shot is on its way, no frame is needed, and every slot is free.
    func isAtRest(from milliseconds: Double = 10_000) -> Bool {
        let state = desk.state.withLock { ($0.shots.inProgress, $0.frames.shelf.neededCount, $0.frames.unread.count) }
        return state == (0, 0, 0) && hand.isFree(from: milliseconds)
    }
}

extension PhotoCapture {
    /// The events in one line: "begin captured photo".
    func story() async -> String {
        var words: [String] = []
        for await event in self {
            switch event {
            case .willBeginCapture: words.append("begin")
            case .didFinishCapture: words.append("captured")
            case .framesNotKept: words.append("frames-not-kept")
            case .photo: words.append("photo")
            case .proxy: words.append("proxy")
            case .failed(let error): words.append(error.code)
            }
        }
        return words.joined(separator: " ")
    }

    /// The proxy of a deferred photo.
    func proxy() async -> DeferredPhotoProxy? {
        var found: DeferredPhotoProxy?
        for await event in self { if case .proxy(let proxy) = event { found = proxy } }
        return found
    }

    /// The photo, or the error.
    func outcome() async -> Result<Photo, PhotoError> {
        do throws(PhotoError) { return .success(try await photo()) } catch { return .failure(error) }
    }

    /// The error; nil if there is a photo.
    func failure() async -> PhotoError? {
        if case .failure(let error) = await outcome() { error } else { nil }
    }
}
