// SPDX-License-Identifier: MIT
// The memory of a session: how it is divided, that it is never exceeded, and that losses for lack of it are reported.

import Camera
import FrameRing
import LivecapEffects
import LivecapFrames
import LivecapJPEG
import LivecapStills
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite(.timeLimit(.usual)) struct MemoryTests {
    private let quick = PhotoSettings(quality: .mean, frames: 2)

    /// The amount that the error names is sufficient.
    @Test(arguments: [(640, 480), (1280, 720), (1920, 1080), (3840, 2160)], [1, 2, 8])
    func tooLittleMemoryErrorNamesASufficientAmount(size: (Int, Int), threads: Int) throws {
        let description = SourceDescription(
            name: "hand", identity: "hand",
            format: FrameFormat(pixelFormat: .yuyv, size: FrameSize(width: size.0, height: size.1)),
            rate: FrameRate(30), clock: .own)
        func plan(_ memory: Int) throws(CameraError) -> MemoryPlan {
            try MemoryPlan(memory, description, history: .milliseconds(1500), threads: threads)
        }
        let error = try #require(throws: CameraError.self) { try plan(1 << 20) }
        guard case .tooLittleMemory(_, description.format.size, let needed) = error else {
            Issue.record("\(error)")
            return
        }
        let least = try plan(needed)
        #expect(least.shots >= 1 && least.frames >= 16)
        // A plan with less memory could succeed, with a history too short for the tap that was asked for.
        let whole = try #require(
            RingCapacity(duration: .milliseconds(1500), byteCap: .max).plan(
                format: description.format, rate: description.rate, reserve: description.reserve))
        #expect(least.ring >= whole.bytes)
    }

    /// The history of a 4K camera takes more than the default 1 GiB, but half of the machine's memory is always left to
    /// others. Many processors do not shorten the history.
    @Test(arguments: [
        (1280, 720, 16384, 2), (1280, 720, 1024, 2), (1920, 1080, 8192, 2), (3840, 2160, 16384, 2),
        (3840, 2160, 4096, 1),
    ])
    func defaultMemoryFitsTheWholeHistory(
        width: Int, height: Int, machine: Int, workers: Int
    ) throws {
        let description = SourceDescription(
            name: "hand", identity: "hand",
            format: FrameFormat(pixelFormat: .yuyv, size: FrameSize(width: width, height: height)), rate: FrameRate(30),
            clock: .own)
        let memory = MemoryPlan.usual(
            description, history: .milliseconds(1500), threads: 16, formats: [.jpeg], machine: machine << 20)
        #expect(memory == 1 << 30 || memory == machine << 19 || width == 3840)
        #expect(memory <= machine << 19)
        let plan = try MemoryPlan(memory, description, history: .milliseconds(1500), threads: 16)
        let ring = try #require(
            RingCapacity(duration: .milliseconds(workers > 1 ? 1500 : 1000), byteCap: .max).plan(
                format: description.format, rate: description.rate, reserve: description.reserve))
        #expect(plan.workers >= workers && plan.ring >= ring.bytes)
    }

    /// A second worker does not take memory that the history needs for a photo of 16 frames.
    @Test func moreMemoryIsNoShorterHistory() throws {
        let description = SourceDescription(
            name: "hand", identity: "hand",
            format: FrameFormat(pixelFormat: .yuyv, size: FrameSize(width: 1280, height: 720)), rate: FrameRate(30),
            clock: .own)
        let twenty = try #require(
            RingCapacity(duration: .milliseconds(700), byteCap: .max).plan(
                format: description.format, rate: description.rate, reserve: description.reserve))
        var workers = 0
        for mebibytes in stride(from: 190, through: 600, by: 5) {
            let plan = try MemoryPlan(mebibytes << 20, description, history: .milliseconds(1500), threads: 8)
            #expect(plan.ring >= twenty.bytes && plan.workers >= workers, "\(mebibytes) MiB")
            workers = plan.workers
        }
        #expect(workers > 2)
    }

    @Test(arguments: [64, 100, 300, 1000, 4000]) func thePlanIsWithinTheBudget(mebibytes: Int) throws {
        let format = FrameFormat(pixelFormat: .yuyv, size: FrameSize(width: 640, height: 480))
        let description = SourceDescription(
            name: "hand", identity: "hand", format: format, rate: FrameRate(30), clock: .own)
        let plan = try MemoryPlan(mebibytes << 20, description, history: .seconds(3), threads: 2)
        let files = 6 * format.size.area * plan.shots
        #expect(plan.ring + plan.workers * plan.worker + plan.frames * plan.frame + files <= mebibytes << 20)
    }

    @Test func whatTakesMoreMemoryToEncodeLeavesLessForTheRest() throws {
        let description = SourceDescription(
            name: "hand", identity: "hand",
            format: FrameFormat(pixelFormat: .yuyv, size: FrameSize(width: 1280, height: 720)), rate: FrameRate(30),
            clock: .own)
        let plans = try [StillFormat.jpeg, .heic].map { format in
            try MemoryPlan(256 << 20, description, history: .seconds(1), threads: 1, formats: [.jpeg, format])
        }
        #expect(plans[1].worker - plans[0].worker >= 20 * 1280 * 720)
        #expect(plans[1].frames < plans[0].frames)
    }

    // MARK: Photos with effects

    private static let hd = SourceDescription(
        name: "hand", identity: "hand",
        format: FrameFormat(pixelFormat: .yuyv, size: FrameSize(width: 1280, height: 720)), rate: FrameRate(30),
        clock: .own)
    /// Nets, and ten maps of a quarter of the width and height, with numbers of 16 bytes.
    private static let effects = (40 << 20) + 10 * 1280 * 720
    private static let file = 6 * 1280 * 720

    @Test func everyWorkerHasMemoryForEffectsThatPhotosMayHave() throws {
        let plans = try [false, true].map { withEffects in
            try MemoryPlan(
                1 << 30, Self.hd, history: .milliseconds(1500), threads: 16, withEffects: withEffects)
        }
        #expect(plans[1].worker == plans[0].worker + Self.effects)
        #expect(plans[1].workers < plans[0].workers && plans[1].ring == plans[0].ring)
        // A run that is retired keeps one worker, and a shot with two files.
        #expect(plans[1].retired - plans[0].retired == Self.effects + Self.file)
    }

    /// Down to the least with which a shot can be made, nothing is promised that effects then take.
    @Test(arguments: [210, 256, 400, 1000, 4000])
    func aPlanWithEffectsIsWithinTheBudget(mebibytes: Int) throws {
        let plan = try MemoryPlan(
            mebibytes << 20, Self.hd, history: .seconds(3), threads: 4, withEffects: true)
        let files = 2 * Self.file * plan.shots
        #expect(plan.ring + plan.workers * plan.worker + plan.frames * plan.frame + files <= mebibytes << 20)
    }

    @Test func whatIsTooLittleWithEffectsSaysHowMuchIsEnough() throws {
        func plan(_ memory: Int, withEffects: Bool = true) throws(CameraError) -> MemoryPlan {
            try MemoryPlan(
                memory, Self.hd, history: .milliseconds(1500), threads: 2, withEffects: withEffects)
        }
        let little = 160 << 20
        #expect(try plan(little, withEffects: false).workers == 1)
        let error = try #require(throws: CameraError.self) { try plan(little) }
        guard case .tooLittleMemory(little, Self.hd.format.size, let needed) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(try plan(needed).workers == 2)
        // What is reserved for a default session is enough, too.
        let usual = MemoryPlan.usual(
            Self.hd, history: .milliseconds(1500), threads: 2, formats: [.jpeg], withEffects: true, machine: 1 << 33)
        #expect(usual >= needed)
    }

    /// What the engine is told, it plans for: the memory that a history needs says so.
    @Test func aSessionReservesMemoryForEffectsIfItIsToldTo() throws {
        func needed(_ mayHaveEffects: Bool) throws -> Int? {
            var options = SessionOptions(memory: 1 << 30, threads: 2)
            options.photosMayHaveEffects = mayHaveEffects
            let session = try CaptureSession(
                opening: .synthetic(
                    SyntheticSettings("tripod"), pixelFormat: .yuyv, size: Self.hd.format.size,
                    rate: FrameRate(30), .fast), options)
            defer { session.end() }
            return session.memory(forHistory: .seconds(1))
        }
        let (plain, drawn) = (try #require(try needed(false)), try #require(try needed(true)))
        #expect(drawn - plain == 2 * Self.effects + Self.file)
    }

    /// Finals are made beside the session's own photos, with memory of their own.
    @Test func finalsWithEffectsHaveTheirMemory() {
        let frame = FrameMetadata(
            time: .zero, byteCount: 1, sequence: 0, timeSource: .scene, uncertainty: .zero,
            id: FrameID(epoch: 0, counter: 0))
        func need(_ effects: EffectSettings?, counted: Bool) -> Int {
            let budget = FinishingBudget(bytes: 1 << 30, countsEffects: counted) { _, _ in }
            let request = PhotoRequest(
                shot: ShotID(number: 1), settings: PhotoSettings(effects: effects), tap: frame.time, tapError: .zero,
                tapFrame: nil, quality: .balanced, isPrioritized: false, frames: [frame.id], nearest: frame.id,
                spares: [], damaged: [], isExposureSettled: true, manual: ManualSettings(), wallTime: nil)
            return budget.need(of: request, Self.hd.format)
        }
        let plain = need(nil, counted: true), blur = EffectSettings(portrait: 0.5)
        #expect(need(blur, counted: true) == plain + Self.effects + Self.file)
        #expect(need(EffectSettings(framing: 1), counted: true) == plain)
        // Where none is set aside, finals are not left undone for it.
        #expect(need(blur, counted: false) == plain)
        let whole = PhotoMemory.finishing(Self.hd.format, [.jpeg], withEffects: true)
        #expect(whole == PhotoMemory.finishing(Self.hd.format, [.jpeg]) + Self.effects + Self.file)
    }

    @Test func aFormatTheSessionKeepsNoMemoryForIsRefused() async throws {
        let driven = try HandDrivenDesk { $0.formats = [.jpeg] }
        _ = driven.desk.exposureChanged(isSettled: true, isDone: true)
        driven.frames(0..<5)
        var heic = quick
        heic.format = .heic
        await #expect(throws: PhotoError.self) { try await driven.tap(at: 60, heic).photo() }
    }

    @Test func theDriversBuffersAreNotTakenOffTheHistory() throws {
        let format = FrameFormat(pixelFormat: .yuyv, size: FrameSize(width: 640, height: 480))
        let description = SourceDescription(
            name: "hand", identity: "hand", format: format, rate: FrameRate(30), clock: .monotonic, reserve: 8)
        let plan = try MemoryPlan(1 << 30, description, history: .milliseconds(1500), threads: 2)
        let ring = RingCapacity(duration: .milliseconds(1500), byteCap: plan.ring)
            .plan(format: format, rate: FrameRate(30), reserve: 8)
        #expect(ring?.duration == FrameRate(30).interval * 45)
    }

    @Test func aTapWithoutRoomWaitsAndIsServedLater() async throws {
        let driven = try HandDrivenDesk(shots: 2)
        _ = driven.desk.exposureChanged(isSettled: true, isDone: true)
        driven.frames(0..<20)
        #expect(driven.desk.readiness.current.state == .ready)
        let shots = (0..<4).map { driven.tap(at: Double(100 + 10 * $0), quick) }
        #expect(driven.places == "waiting 2, reading 2, ready 0, in work 0")
        #expect(driven.desk.readiness.current.state == .notReadyWaitingForProcessing)
        driven.work()
        for (number, shot) in shots.enumerated() {
            #expect(try await shot.photo().reference.id.counter == UInt64(10 + number))
        }
        #expect(driven.desk.readiness.current.state == .ready)
        #expect(driven.isAtRest())
    }

    @Test func aTapWithoutRoomMayLoseItsFramesAndSaysSo() async throws {
        let driven = try HandDrivenDesk(shots: 1, history: 10)
        driven.frames(0..<10)
        let (first, second) = (driven.tap(at: 50, quick), driven.tap(at: 80, quick))
        driven.frames(10..<30)
        driven.work()
        #expect(try await first.photo().reference.id.counter == 5)
        guard case .tooOld = await second.failure() else {
            // Frames 4 and 5 were still leased then, but are not the second shot's.
            Issue.record("the second shot's frames have left")
            return
        }
        #expect(driven.isAtRest())
    }

    @Test func refuseOverloadFailsAtOnce() async throws {
        let driven = try HandDrivenDesk(shots: 1) { $0.overload = .refuse }
        driven.frames(0..<20)
        let shots = (0..<3).map { driven.tap(at: Double(100 + 10 * $0), quick) }
        #expect(await shots[1].failure() == .overloaded)
        #expect(await shots[2].failure() == .overloaded)
        driven.work()
        #expect(await shots[0].story() == "begin captured photo")
        #expect(driven.isAtRest())
    }

    /// Here frames run out, not places for shots.
    @Test func theShelfBoundsWhatIsHeld() async throws {
        let driven = try HandDrivenDesk(shots: 2)
        driven.frames(0..<40)
        let sixteen = PhotoSettings(quality: .mean, frames: 16)
        let shots = [150.0, 390].map { driven.tap(at: $0, sixteen) }
        #expect(driven.places == "waiting 1, reading 1, ready 0, in work 0")
        driven.work()
        for shot in shots { #expect(try await shot.photo().used.count == 16) }
        #expect(driven.isAtRest())
    }

    /// The forecast is made at every change while few shots wait, and only now and then while very many do.
    @Test func theWaitIsToldHoweverManyWait() throws {
        let driven = try HandDrivenDesk(shots: 1)
        driven.desk.update { state in
            state.stream.isExposureDone = true
            state.estimates.times.learn(fusing: .mean, took: .seconds(10))
            state.estimates.times.learn(.init(format: .jpeg, includesComparison: false, isFused: true), took: .zero)
        }
        driven.frames(0..<20)
        for number in 0..<100 {
            let shot = driven.tap(at: 100, quick)
            let readiness = driven.desk.readiness.current
            #expect(readiness.state == .notReadyWaitingForProcessing && readiness.estimatedWait ?? .zero > .zero)
            if number == 99 { shot.cancel() }
        }
    }

    @Test func moreTapsThanMayWaitAreRefused() async throws {
        let driven = try HandDrivenDesk(shots: 1)
        driven.frames(0..<20)
        let shots = (0..<(SessionOptions.maxWaiting + 5)).map { _ in driven.tap(at: 100, quick) }
        // One is being read, and as many as permitted wait.
        for shot in shots[(SessionOptions.maxWaiting + 1)...] { #expect(await shot.failure() == .overloaded) }
        #expect(driven.places == "waiting \(SessionOptions.maxWaiting), reading 1, ready 0, in work 0")
        for shot in shots { shot.cancel() }
        #expect(driven.isAtRest())
    }
}
