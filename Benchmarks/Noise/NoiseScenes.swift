// SPDX-License-Identifier: MIT
// The scenes by which bounds on noise are judged, and the stills that are made of them.

import Fusion
import LivecapFrames
import LivecapPictureMetrics
import Synchronization

/// A scene, and where it comes from.
struct NoiseScene: Sendable {
    let name: String
    /// Whether it was made to need bounds. The others are scenes by which all pictures are judged.
    let isHard: Bool
    let burst: @Sendable () throws -> Burst

    /// All scenes: those by which pictures are judged, others of the synthetic camera, and drawn ones.
    static let all: [NoiseScene] =
        PictureScene.allCases.map { scene in
            NoiseScene(name: scene.rawValue, isHard: false) { try rendered(scene.text, scene.jpegQuality) }
        }
        + hard.map { name, text, quality in
            NoiseScene(name: name, isHard: true) { try rendered(text, quality) }
        } + DrawnScene.allCases.map { scene in NoiseScene(name: scene.rawValue, isHard: true) { scene.burst() } }

    /// For `--synthetic`, and the quality of JPEG frames.
    private static let hard: [(String, String, Int?)] = [
        ("quiet", "handheld:noise=0.3,seed=11", nil),
        ("noiseless", "tripod:noise=none,seed=12", nil),
        ("overexposed", "handheld:exposure=3,noise=3,seed=13", nil),
        ("strong", "handheld:motion=strong,noise=2,seed=14", nil),
        ("black", "lowlight:noise=12,seed=15", nil),
        ("jpeg40", "handheld:noise=1,seed=16", 40),
        ("darkjpeg", "lowlight:noise=4,seed=17", 60),
        ("webcamjpeg", "handheld:camera=webcam,seed=18", 50),
        ("laptopstill", "object:motion=none,camera=laptop,seed=19", nil),
        ("edges", "tripod:camera=sharpened,seed=2", nil),
        ("lamp", "flicker:flicker=0.6,noise=2,seed=20", nil),
    ]

    private static func rendered(_ text: String, _ jpegQuality: Int?) throws -> Burst {
        try Burst(text, size: FrameSize(width: 640, height: 480), frames: 8, jpegQuality: jpegQuality)
    }
}

/// A still of a scene, measured.
struct NoiseTrial: Sendable {
    let psnr: Double
    /// By how many dB the worst window is worse than the single frame.
    let worstWindow: Double
    let bounds: [NoiseBound]
    /// All planes.
    let bits: [[UInt16]]
}

/// Renders each scene, and makes its still with all bounds, only once.
final class NoiseTrials: Sendable {
    private let bursts = Mutex<[String: Burst]>([:])
    private let known = Mutex<[String: NoiseTrial]>([:])

    /// The still with all bounds.
    func usual(_ scene: NoiseScene, _ method: FusionMethod) throws -> NoiseTrial {
        let key = "\(scene.name) \(method.rawValue)"
        if let trial = known.withLock({ $0[key] }) { return trial }
        let (burst, bits, luma, bounds) = try still(scene, FusionSettings(method))
        let trial = measured(burst, bits, luma, bounds)
        known.withLock { $0[key] = trial }
        return trial
    }

    /// The still without a bound; nil if that is the same still.
    func without(_ bound: NoiseBound, _ scene: NoiseScene, _ method: FusionMethod) throws -> NoiseTrial? {
        let usual = try usual(scene, method)
        var settings = FusionSettings(method)
        settings.withoutBounds = [bound]
        let (burst, bits, luma, bounds) = try still(scene, settings)
        return bits == usual.bits ? nil : measured(burst, bits, luma, bounds)
    }

    private func measured(
        _ burst: Burst, _ bits: [[UInt16]], _ luma: CodePlane, _ bounds: [NoiseBound]
    ) -> NoiseTrial {
        let damage = luma.localDamage(insteadOf: burst.single, against: burst.truth)
        return NoiseTrial(
            psnr: luma.psnr(against: burst.truth), worstWindow: damage.worst, bounds: bounds, bits: bits)
    }

    private func still(
        _ scene: NoiseScene, _ settings: FusionSettings
    ) throws -> (burst: Burst, bits: [[UInt16]], luma: CodePlane, bounds: [NoiseBound]) {
        let burst = try burst(scene), fuser = try Fuser(burst.format, settings)
        let frames = try burst.frames.map { bytes in
            let frame = fuser.makeFrame()
            try fuser.prepare(bytes.span.bytes, into: frame)
            return frame
        }
        let picture = fuser.makePicture()
        let report = try fuser.fuse(frames, reference: burst.reference, into: picture)
        let luma = picture.planes[0]
        return (
            burst, picture.planes.map { Array($0.samples) },
            CodePlane(width: luma.width, height: luma.height, codesTimes256: luma.samples), report.noiseBounds
        )
    }

    private func burst(_ scene: NoiseScene) throws -> Burst {
        if let burst = bursts.withLock({ $0[scene.name] }) { return burst }
        let burst = try scene.burst()
        bursts.withLock { $0[scene.name] = burst }
        return burst
    }
}
