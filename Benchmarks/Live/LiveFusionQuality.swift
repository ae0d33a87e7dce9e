// SPDX-License-Identifier: MIT
// How good a frame fused with its past is, compared with the frame alone and with the truth.

import Fusion
import LivecapFrames
import LivecapPictureMetrics

/// Fuses the frames of a scene one by one, as `livecap live` does, and judges the last one.
struct LiveFusionQuality: FallibleBenchmark {
    let scene: PictureScene

    var name: String { "live.quality.\(scene.rawValue)" }

    private static let frames = 16
    private static let size = FrameSize(width: 640, height: 480)
    /// In decibels: what the fused frame must gain, and what it may lose where something moves.
    private static let leastGain = 3.0, mostLoss = 0.1
    /// In decibels: how much worse than the frame the worst 32x32 window may be.
    private static let mostDamage = 1.0

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        let burst = try Burst(scene.text, size: Self.size, frames: Self.frames, reference: Self.frames - 1)
        let fuser = try LiveFuser(burst.format)
        for frame in burst.frames { _ = try fuser.fuse(frame.span.bytes) }
        let luma = CodePlane(fuser, Self.size)
        var result = BenchmarkResult(name, width: Self.size.width, height: Self.size.height, frames: Self.frames)
        let gain = luma.psnr(against: burst.truth) - burst.single.psnr(against: burst.truth)
        let damage = luma.localDamage(insteadOf: burst.single, against: burst.truth)
        result.figures = [("gain", gain), ("damage999", damage.quantile999), ("damageWorst", damage.worst)]
        if damage.worst > Self.mostDamage { result.faults.append("a part of the picture is worse than the frame") }
        if gain < Self.leastGain { result.notes.append("missed: a gain of at least \(Self.leastGain) dB") }
        if let path = burst.path {
            let pathGain =
                luma.psnr(against: burst.truth, where: path)
                - burst.single.psnr(against: burst.truth, where: path)
            result.figures.append(("pathGain", pathGain))
            if pathGain < -Self.mostLoss { result.faults.append("worse than the frame where the object moves") }
        }
        return result
    }
}

extension CodePlane {
    /// The brightness of a fuser's picture.
    fileprivate init(_ fuser: LiveFuser, _ size: FrameSize) {
        var bytes = [UInt8](repeating: 0, count: fuser.pictureFormat.byteCount)
        bytes.withUnsafeMutableBytes { fuser.write(into: $0) }
        self.init(width: size.width, height: size.height, samples: bytes.prefix(size.area).map(Float.init))
    }
}
