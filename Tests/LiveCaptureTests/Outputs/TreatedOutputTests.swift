// SPDX-License-Identifier: MIT
// Outputs of frames that are fused or have effects, beside outputs of the camera's own frames.

import Camera
import LivecapEffects
import LivecapFrames
import LivecapPictures
import Testing

@testable import LiveCapture
@testable import LivecapStreams

@Suite(.timeLimit(.usual)) struct TreatedOutputTests {
    private func session(
        _ size: FrameSize = FrameSize(width: 160, height: 96), _ change: (inout SessionOptions) -> Void = { _ in }
    ) async throws -> CaptureSession {
        var options = SessionOptions()
        options.threads = 2
        options.memory = 256 << 20
        options.formats = [.jpeg]
        options.isRealTime = false
        change(&options)
        let source = CaptureSource.synthetic(
            try SyntheticSettings("tripod:prerender=2"), pixelFormat: .yuyv, size: size, rate: FrameRate(30))
        return try await CaptureSession(source: source, options: options)
    }

    @Test func oneOutputHasEffectsAndAnotherHasNone() async throws {
        let session = try await session()
        let shown = FrameOutput(), plain = FrameOutput()
        try session.add(shown, of: .withEffects)
        try session.add(plain)
        #expect(session.outputs.count == 2 && session.outputs.first === plain)
        try await session.start()
        _ = await shown.next()
        #expect(session.canPerformReactionEffects)
        // One may be over before a picture is taken: it lasts for four seconds of the clock.
        var picture: Picture?
        repeat {
            session.perform(.fireworks)
            picture = await shown.next()
        } while picture?.frame.reactions.contains(.fireworks) == false
        #expect(picture != nil)
        #expect(await plain.next()?.frame.reactions.isEmpty == true)
        await session.stop()
    }

    @Test func aStageLastsAsLongAsSomethingAsksForItsFrames() async throws {
        let session = try await session()
        let fused = FrameOutput(), drawn = FrameOutput(), both = FrameOutput()
        try session.add(fused, of: .fused)
        try session.add(both, of: [.fused, .withEffects])
        #expect(session.stages.all.count == 2)
        try session.add(drawn, of: .withEffects)
        #expect(session.stages.all.count == 3)
        session.remove(fused)
        session.remove(drawn)
        #expect(session.stages.all.count == 2 && session.outputs.count == 1)
        try await session.start()
        #expect(await both.next() != nil)
        session.remove(both)
        #expect(session.stages.all.isEmpty && session.outputs.isEmpty)
        // Nothing of it is left, and it can begin anew.
        try session.add(both, of: [.fused, .withEffects])
        #expect(await both.next() != nil)
        await session.stop()
    }

    @Test func outputsOfAllFramesShareTheirMemory() async throws {
        let session = try await session { $0.outputMemory = 200_000 }
        func output() -> FrameOutput { FrameOutput(FrameOutputSettings(pictures: PictureSettings(format: .grey))) }
        // Four pictures of 15 kB each.
        try session.add(output())
        try session.add(output(), of: .withEffects)
        try session.add(output(), of: .withEffects)
        #expect(session.outputCost.memory == 12 * 15_360)
        #expect(session.canAdd(output(), of: .fused) == .memory(needed: 4 * 15_360, left: 200_000 - 12 * 15_360))
        #expect(session.canAdd(output()) == .memory(needed: 4 * 15_360, left: 200_000 - 12 * 15_360))
        await session.stop()
    }

    @Test func framesThatCannotBeTreatedAreRefused() async throws {
        let session = try await session(FrameSize(width: 12, height: 96))
        guard case .untreated? = session.canAdd(FrameOutput(), of: .withEffects) else {
            Issue.record("it is not refused")
            return
        }
        #expect(throws: OutputError.self) { try session.add(FrameOutput(), of: .fused) }
        #expect(session.stages.all.isEmpty && session.canAdd(FrameOutput()) == nil)
        await session.stop()
    }

    @Test func effectsAreSetOrRefusedAsAWhole() async throws {
        let session = try await session(), events = session.events
        #expect(session.effectSettings.areNone)
        let missing = EffectSettings(background: .picture(path: "/nowhere/beach.jpg"), brighten: 1)
        await #expect(throws: CameraError.self) { try await session.setEffects(missing) }
        #expect(session.effectSettings.areNone)
        try await session.setEffects(EffectSettings(brighten: 0.5))
        try await session.setEffects(EffectSettings(brighten: 0.5))
        try await session.setEffects(EffectSettings())
        await session.stop()
        var changes: [EffectSettings] = []
        for await event in events {
            if case .effectsChanged(let settings) = event { changes.append(settings) }
            if event == .stopped { break }
        }
        #expect(changes == [EffectSettings(brighten: 0.5), EffectSettings()])
    }
}
