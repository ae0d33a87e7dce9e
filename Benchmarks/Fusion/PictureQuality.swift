// SPDX-License-Identifier: MIT
// The quality of a still, compared with the truth of a synthetic scene and with the single frame.

import Fusion
import LivecapFrames
import LivecapPictureMetrics

/// The measurements of one picture.
struct PictureMeasures {
    var psnr: Double
    var ssim: Double
    /// In the path of the moving object, if there is one.
    var pathPSNR: Double?
    var damage: LocalDamage
    /// Errors of the means over the whole picture, in codes: of brightness, and the larger one of Cb and Cr.
    var levelError: Double
    var chromaError: Double
    /// The least mean weight of another frame, if the method merges frames.
    var leastWeight: Double?
}

extension PictureMeasures {
    init(_ luma: CodePlane, _ burst: Burst, chromaError: Double) {
        psnr = luma.psnr(against: burst.truth)
        ssim = luma.ssim(against: burst.truth) ?? 1
        pathPSNR = burst.path.map { luma.psnr(against: burst.truth, where: $0) }
        damage = luma.localDamage(insteadOf: burst.single, against: burst.truth)
        levelError = luma.levelError(against: burst.truth)
        self.chromaError = chromaError
    }
}

/// Measures a scene's still by one method, or its single frame.
struct PictureQuality: FallibleBenchmark {
    let scene: PictureScene
    /// The method, or nil for the single frame.
    let method: FusionMethod?
    let store: BurstStore

    private var title: String { method?.rawValue ?? "single" }
    var name: String { "fusion.quality.\(scene.rawValue).\(title)" }

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        let burst = try store.picture(scene)
        let size = burst.format.size
        var result = BenchmarkResult(name, width: size.width, height: size.height, frames: burst.frames.count)
        result.quality = title
        let single = PictureMeasures(burst.single, burst, chromaError: 0)
        let found = try method.map { try still(burst, $0, &result) } ?? single
        result.figures = [
            ("psnrY", found.psnr), ("gain", found.psnr - single.psnr), ("ssimY", found.ssim),
        ]
        if let path = found.pathPSNR, let before = single.pathPSNR {
            result.figures += [("pathPsnrY", path), ("pathGain", path - before)]
        }
        result.figures += [
            ("damage999", found.damage.quantile999), ("damageWorst", found.damage.worst),
            ("damageWorstX", Double(found.damage.worstPlace.x)), ("damageWorstY", Double(found.damage.worstPlace.y)),
            ("levelError", found.levelError), ("chromaError", found.chromaError),
        ]
        if let weight = found.leastWeight { result.figures.append(("leastWeight", weight)) }
        result.row = row(found, single)
        if let floor = method.flatMap({ PictureFloor.of(scene, $0) }) {
            result.faults = floor.complaints(found, single)
        }
        return result
    }

    private func still(_ burst: Burst, _ method: FusionMethod, _ result: inout BenchmarkResult) throws
        -> PictureMeasures
    {
        let fuser = try Fuser(burst.format, FusionSettings(method))
        let frames = try burst.frames.map { bytes in
            let frame = fuser.makeFrame()
            try fuser.prepare(bytes.span.bytes, into: frame)
            return frame
        }
        let picture = fuser.makePicture()
        let start = Timestamp.now
        let report = try fuser.fuse(frames, reference: burst.reference, into: picture)
        result.msPerStill = (Timestamp.now - start).milliseconds
        result.level = report.level.rawValue
        let planes = picture.planes.map { plane in
            CodePlane(width: plane.width, height: plane.height, codesTimes256: plane.samples)
        }
        let errors = [planes[1].mean - burst.chromaLevels.cb, planes[2].mean - burst.chromaLevels.cr]
        var measures = PictureMeasures(planes[0], burst, chromaError: errors.max { abs($0) < abs($1) } ?? 0)
        if method != .speed { measures.leastWeight = report.shares.map(\.weight).min() }
        return measures
    }

    /// One line, aligned with those of other results.
    private func row(_ found: PictureMeasures, _ single: PictureMeasures) -> String {
        func signed(_ value: Double) -> String { (value < 0 ? "-" : "+") + hundredths(abs(value)) }
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.utf8.count))
        }
        var row = padded(name, 34) + "PSNR-Y \(hundredths(found.psnr)) (\(signed(found.psnr - single.psnr)))"
        row += "  SSIM \(hundredths(found.ssim * 100)) %"
        if let path = found.pathPSNR, let before = single.pathPSNR {
            row += "  in the path \(hundredths(path)) (\(signed(path - before)))"
        }
        row += "  damage \(signed(found.damage.quantile999)), worst \(signed(found.damage.worst))"
        row += " at \(found.damage.worstPlace.x),\(found.damage.worstPlace.y)"
        row += "  level \(signed(found.levelError))  chroma \(signed(found.chromaError))"
        return row + (found.leastWeight.map { "  weight \(hundredths($0))" } ?? "")
    }
}

/// Formats a number with two decimals.
private func hundredths(_ value: Double) -> String {
    let whole = Int((value * 100).rounded())
    let sign = whole < 0 ? "-" : ""
    return "\(sign)\(abs(whole) / 100)." + (abs(whole) % 100 < 10 ? "0" : "") + "\(abs(whole) % 100)"
}
