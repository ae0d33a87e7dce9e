// SPDX-License-Identifier: MIT
// The bursts that the fusion benchmarks share, each rendered when first needed.

import LivecapFrames
import Synchronization

/// The scenes by which pictures are judged.
enum PictureScene: String, CaseIterable {
    case tripod, handheld, shaky, object, lowlight, bright, flicker, mjpeg
    /// Seen by modelled cameras.
    case webcam, desk, laptop, bands, dim, sharpened, passing, filtered, night, good

    /// The synthetic scene, with noise from that of a lit room to that of a dark one.
    var text: String {
        switch self {
        case .tripod, .lowlight: rawValue
        case .handheld: "handheld:noise=2"
        case .shaky: "handheld:motion=strong,rotation=0.5,noise=4,seed=3"
        case .object: "object:noise=4"
        case .bright: "handheld:exposure=4,noise=mild"
        case .flicker: "flicker:noise=2"
        case .mjpeg: "object:noise=2,seed=5"
        case .webcam, .laptop, .night, .good: "handheld:camera=\(rawValue)"
        case .desk: "tripod:camera=webcam"
        case .bands: "tripod:camera=laptop,bands=0.1"
        case .dim, .sharpened: "tripod:camera=\(rawValue)"
        case .passing: "object:motion=none,camera=webcam"
        case .filtered: "object:motion=none,camera=filtered"
        }
    }

    var jpegQuality: Int? { self == .mjpeg ? 85 : nil }
}

/// Renders each burst once.
final class BurstStore: Sendable {
    private let bursts = Mutex<[String: Burst]>([:])

    /// Eight small frames of a scene, used to judge pictures.
    func picture(_ scene: PictureScene) throws -> Burst {
        try burst(scene.rawValue) {
            try Burst(
                scene.text, size: FrameSize(width: 640, height: 480), frames: 8, jpegQuality: scene.jpegQuality)
        }
    }

    /// Sixteen handheld frames of 1280x720, used to measure times; Benchmarks/compare records the same ones.
    func timed() throws -> Burst {
        try burst("timed") { try Burst("handheld:noise=3", size: FrameSize(width: 1280, height: 720), frames: 16) }
    }

    private func burst(_ name: String, _ make: () throws -> Burst) throws -> Burst {
        if let burst = bursts.withLock({ $0[name] }) { return burst }
        let burst = try make()
        bursts.withLock { $0[name] = burst }
        return burst
    }
}
