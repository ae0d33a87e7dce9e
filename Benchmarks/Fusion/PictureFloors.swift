// SPDX-License-Identifier: MIT
// What a still must reach, scene by scene: the regression test of fusion's pictures.

import FusionKernels
import PictureMetrics

/// The least a still must be. Pictures are the same bits on every machine, so floors lie close under what was measured.
struct PictureFloor {
    /// PSNR-Y over the single frame's, in dB.
    var gain: Double
    /// The same in the moving object's path.
    var pathGain: Double?
    /// The most damage 99.9 % of the windows may show, and any window, in dB; nil where
    /// that is not reached.
    var damage: (most: Double, worst: Double)? = (0.2, 1)
    /// The most the mean brightness may be off, and the mean chroma, in codes; nil where that is not reached.
    var level: Double? = 0.5

    /// What a still falls short of, in words.
    func complaints(_ found: PictureMeasures, _ single: PictureMeasures) -> [String] {
        var complaints: [String] = []
        func require(_ what: String, _ value: Double, atLeast limit: Double) {
            if value < limit { complaints.append("\(what) is \(value), less than \(limit)") }
        }
        func require(_ what: String, _ value: Double, atMost limit: Double) {
            if value > limit { complaints.append("\(what) is \(value), more than \(limit)") }
        }
        require("the gain over the single frame", found.psnr - single.psnr, atLeast: gain)
        if let pathGain, let path = found.pathPSNR, let before = single.pathPSNR {
            require("the gain in the object's path", path - before, atLeast: pathGain)
        }
        if let damage {
            require("the damage at the 99.9 % quantile", found.damage.quantile999, atMost: damage.most)
            require("the worst damage", found.damage.worst, atMost: damage.worst)
        }
        if let level {
            require("the error of the mean brightness", abs(found.levelError), atMost: level)
            require("the error of the mean chroma", abs(found.chromaError), atMost: level)
        }
        return complaints
    }

    /// The floor of a scene and a method; nil where none is set.
    static func of(_ scene: PictureScene, _ method: FusionMethod) -> PictureFloor? { floors[scene]?[method] }

    private static let floors: [PictureScene: [FusionMethod: PictureFloor]] = [
        .tripod: [
            .mean: PictureFloor(gain: 8.8),
            .merge: PictureFloor(gain: 8.35),
            .speed: PictureFloor(gain: 4.2),
            .balanced: PictureFloor(gain: 11.3),
            .quality: PictureFloor(gain: 12.8),
        ],
        .handheld: [
            .merge: PictureFloor(gain: 6.0),
            .speed: PictureFloor(gain: 5.3),
            .balanced: PictureFloor(gain: 7.35),
            .quality: PictureFloor(gain: 7.8),
        ],
        .shaky: [
            .merge: PictureFloor(gain: 7.35),
            .speed: PictureFloor(gain: 6.35),
            .balanced: PictureFloor(gain: 9.15),
            .quality: PictureFloor(gain: 9.7),
        ],
        .object: [
            .merge: PictureFloor(gain: 7.15, pathGain: 5.4),
            .speed: PictureFloor(gain: 6.4, pathGain: 4.45),
            .balanced: PictureFloor(gain: 8.95, pathGain: 6.25),
            .quality: PictureFloor(gain: 9.5, pathGain: 6.7),
        ],
        .lowlight: [
            .merge: PictureFloor(gain: 7.85),
            .speed: PictureFloor(gain: 6.85),
            .balanced: PictureFloor(gain: 10.1),
            .quality: PictureFloor(gain: 10.7),
        ],
        .bright: [
            .merge: PictureFloor(gain: 3.35, damage: (0.25, 1)),
            .speed: PictureFloor(gain: 3.6),
            .balanced: PictureFloor(gain: 4.4),
            .quality: PictureFloor(gain: 4.9),
        ],
        .flicker: [
            .merge: PictureFloor(gain: 8.3),
            .speed: PictureFloor(gain: 4.8),
            .balanced: PictureFloor(gain: 11.5),
            .quality: PictureFloor(gain: 12.85),
        ],
        .mjpeg: [
            .merge: PictureFloor(gain: 2.8, pathGain: 0.85),
            .speed: PictureFloor(gain: 1.75, pathGain: 0.35),
            .balanced: PictureFloor(gain: 3.3, pathGain: 0.95),
            .quality: PictureFloor(gain: 3.55, pathGain: 1.1),
        ],
    ]
}
