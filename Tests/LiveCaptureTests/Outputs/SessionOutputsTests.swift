// SPDX-License-Identifier: MIT
// Which outputs a session takes, and what they outlive.

import Camera
import LivecapFrames
import LivecapPictures
import Testing

@testable import LiveCapture
@testable import LivecapStreams

@Suite(.timeLimit(.usual)) struct SessionOutputsTests {
    private func scene(width: Int) throws -> CaptureSource {
        .synthetic(
            try SyntheticSettings("tripod:prerender=2"), pixelFormat: .yuyv, size: FrameSize(width: width, height: 64),
            rate: FrameRate(30))
    }

    private func output(_ size: FrameSize?, _ format: PictureFormat = .i420) -> FrameOutput {
        FrameOutput(FrameOutputSettings(pictures: PictureSettings(format: format, size: size)))
    }

    @Test func anOutputKeepsItsSizeWhenTheSourceChanges() async throws {
        var options = SessionOptions()
        (options.threads, options.memory, options.formats, options.isRealTime) = (2, 256 << 20, [.jpeg], false)
        let session = try await CaptureSession(source: scene(width: 96), options: options)
        let (fixed, own) = (output(FrameSize(width: 48, height: 32)), output(nil))
        try session.add(fixed)
        try session.add(own)
        try await session.start()
        #expect(await own.next()?.format.size == FrameSize(width: 96, height: 64))
        #expect(await fixed.next()?.format.size == FrameSize(width: 48, height: 32))
        try await session.setSource(scene(width: 128))
        var widths: Set<Int> = []
        while !widths.contains(128), let picture = await own.next() { widths.insert(picture.format.size.width) }
        #expect(widths.isSubset(of: [96, 128]) && widths.contains(128))
        #expect(await fixed.next()?.format.size == FrameSize(width: 48, height: 32))
        await session.stop()
        // What waits is delivered.
        while await own.next() != nil {}
        try await session.start()
        #expect(await own.next()?.format.size == FrameSize(width: 128, height: 64))
        await session.stop()
    }

    @Test func anOutputBelongsToOneSession() throws {
        let (one, other) = (try scripted().session, try scripted().session)
        let output = FrameOutput()
        #expect(one.canAdd(output) == nil)
        try one.add(output)
        #expect(one.canAdd(output) == .connected && other.canAdd(output) == .connected)
        #expect(throws: OutputError.connected) { try other.add(output) }
        other.remove(output)
        #expect(output.isConnected)
        one.remove(output)
        #expect(other.canAdd(output) == nil)
        one.end()
        other.end()
    }

    @Test func whatCannotBeMadeIsRefused() throws {
        let session = try scripted().session
        let nothing = output(FrameSize(width: 0, height: 4))
        #expect(session.canAdd(nothing) == .pictures(.badSize(FrameSize(width: 0, height: 4))))
        #expect(throws: OutputError.self) { try session.add(nothing) }
        #expect(session.outputs.isEmpty && !nothing.isConnected)
        session.end()
    }

    @Test func memoryIsLimited() throws {
        let session = try scripted { $0.outputMemory = 1 << 20 }.session
        // Four pictures of 90 kB each.
        let size = FrameSize(width: 300, height: 300)
        try session.add(output(size, .grey))
        try session.add(output(size, .grey))
        #expect(session.outputCost.memory == 8 * 90_000)
        #expect(session.canAdd(output(size, .grey)) == .memory(needed: 360_000, left: 1 << 20 - 720_000))
        session.end()
    }

    @Test func whatNoProcessorCouldDoIsRefused() throws {
        let session = try scripted { $0.outputMemory = .max }.session
        // A hundred pictures of 8192x8192 a second.
        guard case .processor(let share)? = session.canAdd(output(FrameSize(width: 8192, height: 8192))) else {
            return _ = Issue.record("it is taken")
        }
        #expect(share > 2)
        session.end()
    }

    @Test func equalPicturesCostOnce() throws {
        let session = try scripted().session
        try session.add(output(nil, .rgb24))
        let one = session.outputCost
        try session.add(output(nil, .rgb24))
        let two = session.outputCost
        #expect(one.processor > 0 && two.processor == one.processor && two.memory == 2 * one.memory)
        #expect(!two.isMeasured)
        session.end()
    }
}
