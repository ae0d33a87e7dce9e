// SPDX-License-Identifier: MIT
// The time to encode a fused picture as JPEG, compared with libturbojpeg alone on planes that already exist.

import Fusion
import LivecapFrames
import LivecapJPEG
import LivecapStills

struct FusedToJPEG: FallibleBenchmark {
    let name = "stills.jpeg"

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        let size = FrameSize(width: 1920, height: 1080), quality = 95
        let burst = try Burst("handheld:noise=1", size: size, frames: 1)
        let fuser = try Fuser(burst.format, FusionSettings(.speed))
        let (frame, picture) = (fuser.makeFrame(), fuser.makePicture())
        try burst.frames[0].withUnsafeBytes { try fuser.prepare($0.bytes, into: frame) }
        _ = try fuser.fuse([frame], reference: 0, into: picture)

        let encoder = try StripedJPEGEncoder()
        let file = try encoder.encode(picture, quality: quality)
        guard let layout = PlanarLayout(size: size, sampling: .s422) else { throw JPEGError.noMemory }
        // The planes have the same content as the picture.
        var planes = [UInt8](repeating: 0, count: layout.byteCount)
        var decoder = try JPEGDecoder()
        try planes.withUnsafeMutableBytes { memory in _ = try decoder.decode(file.span.bytes, to: layout, in: memory) }
        let bare = BareEncoder(try JPEGEncoder(), planes, layout, quality)
        var bytes = (ours: 0, bare: 0)
        let times = try mediansInTurns(
            budget: options.isThorough ? .seconds(10) : .seconds(2), clock: .thread,
            [
                { () throws in bytes.ours = try encoder.encode(picture, quality: quality).count },
                { () throws in bytes.bare = try bare.encode() },
            ])
        var result = BenchmarkResult(name, width: size.width, height: size.height)
        result.figures = [
            ("fusedMs", times[0]), ("bareMs", times[1]), ("fusedBytes", Double(bytes.ours)),
            ("bareBytes", Double(bytes.bare)),
        ]
        result.ratios = [("fusedOverBare", times[0] / times[1])]
        result.targets = ["fusedOverBare": .atMost(1.15)]
        result.notes = ["one thread each, its own time; the fused picture's samples of 16 bits become bytes on the way"]
        return result
    }
}

/// The library's encoder, and what it encodes.
private final class BareEncoder {
    private var encoder: JPEGEncoder
    private let planes: [UInt8]
    private let layout: PlanarLayout
    private let quality: Int

    init(_ encoder: consuming JPEGEncoder, _ planes: [UInt8], _ layout: PlanarLayout, _ quality: Int) {
        (self.planes, self.layout, self.quality) = (planes, layout, quality)
        self.encoder = encoder
    }

    func encode() throws -> Int {
        let planes = planes
        return try encoder.encode(planes.span.bytes, layout: layout, quality: quality) { picture in
            picture.withUnsafeBytes { Array($0) }.count
        }
    }
}
