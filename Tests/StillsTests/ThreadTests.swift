// SPDX-License-Identifier: MIT
// Encoders on several threads at once, one per thread: every file equals the one made by a single thread.

import Dispatch
import Fusion
import LivecapFrames
import LivecapJPEG
import LivecapThreads
import Testing

@testable import LivecapStills

/// The still with this number, the same on every thread.
private func still(_ number: Int) throws -> FusedPicture {
    let size = FrameSize(width: 96 + 2 * number, height: 64)
    return try picture(FrameFormat(pixelFormat: .yuyv, size: size)) { plane, x, y in
        plane == 0 ? UInt16(16 + (x * 3 + y * (5 + number)) % 200) << 8 : UInt16(100 + (x + number) % 50) << 8
    }
}

private func reported(_ number: Int) -> PhotoMetadata {
    var metadata = PhotoMetadata()
    metadata.description = "still \(number)"
    return metadata
}

/// Encodes a still to files, twice with each encoder.
private func files(_ number: Int) throws -> [[UInt8]] {
    let still = try still(number)
    let jpeg = try StripedJPEGEncoder()
    let (deep, flat) = (PNGEncoder(), PNGEncoder(depth: .eight))
    return try (0..<2).flatMap { _ in
        [
            try jpeg.encode(still, quality: 90, metadata: reported(number)),
            try deep.encode(still, metadata: reported(number)),
            try flat.encode(still, metadata: reported(number)),
        ]
    }
}

@Suite struct ThreadTests {
    @Test func filesMadeAtOnceAreThoseMadeAlone() throws {
        let alone = try (0..<4).map(files)
        let together = Guarded<[Int: [[UInt8]]]>([:])
        DispatchQueue.concurrentPerform(iterations: 16) { turn in
            do {
                let made = try files(turn % 4)
                together.withLock { $0[turn] = made }
            } catch {
                Issue.record(error)
            }
        }
        let made = together.withLock { $0 }
        for turn in 0..<16 { #expect(made[turn] == alone[turn % 4], "turn \(turn)") }
    }

    @Test func andTheyAreWhole() throws {
        for number in 0..<4 {
            let (still, files) = (try still(number), try files(number))
            let jpeg = files[0]
            #expect(JPEGStructure.check(jpeg.span.bytes, size: still.size).damage == .none)
            for file in files[1...2] {
                #expect(chunks(file).last?.name == "IEND")
                #expect(try ffmpegSamples(of: file, as: "rgb24").count == 3 * still.size.area)
            }
        }
    }
}
