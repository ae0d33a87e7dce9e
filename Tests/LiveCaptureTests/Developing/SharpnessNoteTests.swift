// SPDX-License-Identifier: MIT
// A photo says if the frame it shows is much more blurred than one beside it.

import LivecapFrames
import Testing

@testable import LiveCapture

@Suite(.timeLimit(.usual)) struct SharpnessNoteTests {
    private let format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 64, height: 64))

    /// A chequered frame of this contrast; blur takes contrast from fine texture.
    private func chequers(_ contrast: Int) -> [UInt8] {
        (0..<format.size.area).map { UInt8(128 + ($0 / 8 + $0 / 64 / 8) % 2 * contrast) }
    }

    /// The notes of a shot of frame 7 of ten, 10 ms apart, which has a lower contrast than the others.
    private func notes(_ contrast: Int, others: Int, _ settings: PhotoSettings) async throws -> [String] {
        let driven = try HandDrivenDesk(format: format)
        for number in 0..<10 { driven.frame(at: Double(10 * number), bytes: chequers(number == 7 ? contrast : others)) }
        let shot = driven.tap(at: 70, settings)
        driven.work()
        return try await shot.photo().notes
    }

    @Test func aBlurredFrameNamesTheSharpest() async throws {
        let notes = try await notes(40, others: 60, PhotoSettings(quality: .mean, frames: 2))
        let better = "0:6, 10 ms earlier, is 1.4 times as sharp"
        #expect(notes == ["frame 0:7 is blurred: \(better). Reference sharpest shows that one"])
    }

    @Test func aLittleBlurIsNotMentioned() async throws {
        #expect(try await notes(55, others: 60, PhotoSettings(quality: .mean, frames: 2)).isEmpty)
    }

    @Test func theSharpestIsNotCalledBlurred() async throws {
        #expect(try await notes(40, others: 60, PhotoSettings(quality: .mean, reference: .sharpest)).isEmpty)
    }

    /// Other frames are not even read.
    @Test func aSingleFrameIsNotCompared() async throws {
        #expect(try await notes(40, others: 60, PhotoSettings(quality: .speed)).isEmpty)
    }
}
