// SPDX-License-Identifier: MIT
// What a still must reach, scene by scene: the regression test of fusion's pictures.

import FusionKernels
import PictureMetrics

/// The least a still must be. Pictures are the same bits on every machine, so floors lie close under what was measured.
///
/// Each floor of a gain is what `livecap bench fusion --only fusion.quality` reached when it was set, less at most 0.15 dB and
/// rounded down to 0.01 dB. A lower one has a comment that names the loss. A still that is better by `mostSlack` than its floor is
/// a complaint as well: such a floor would let that much be lost again unnoticed.
struct PictureFloor {
    /// PSNR-Y over the single frame's, in dB: how much closer to the truth the whole picture is.
    var gain: Double
    /// The same in the moving object's path.
    var pathGain: Double?
    /// The most damage 99.9 % of the windows may show, and any window, in dB; nil where
    /// that is not reached.
    var damage: (most: Double, worst: Double)? = (0.2, 1)
    /// The most the mean brightness may be off, and the mean chroma, in codes; nil where that is not reached.
    var level: Double? = 0.5

    /// How far above its floor a gain may be, in dB: the slack a floor is set with, and some for small gains on the way.
    static let mostSlack = 0.3

    /// What a still falls short of, in words, and which floors are too low.
    func complaints(_ found: PictureMeasures, _ single: PictureMeasures) -> [String] {
        var complaints: [String] = []
        func require(_ what: String, _ value: Double, atLeast limit: Double) {
            if value < limit { complaints.append("\(what) is \(value), less than \(limit)") }
        }
        func require(_ what: String, _ value: Double, atMost limit: Double) {
            if value > limit { complaints.append("\(what) is \(value), more than \(limit)") }
        }
        func require(_ what: String, _ value: Double, near floor: Double) {
            require(what, value, atLeast: floor)
            if value > floor + Self.mostSlack {
                complaints.append("\(what) is \(value): its floor of \(floor) is too low; set it to \(value - 0.15)")
            }
        }
        require("the gain over the single frame", found.psnr - single.psnr, near: gain)
        if let pathGain, let path = found.pathPSNR, let before = single.pathPSNR {
            require("the gain in the object's path", path - before, near: pathGain)
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
            .quality: PictureFloor(gain: 12.81),
        ],
        .handheld: [
            .merge: PictureFloor(gain: 6.0),
            .speed: PictureFloor(gain: 5.3),
            .balanced: PictureFloor(gain: 7.41),
            .quality: PictureFloor(gain: 7.91),
        ],
        .shaky: [
            .merge: PictureFloor(gain: 7.41),
            .speed: PictureFloor(gain: 6.35),
            .balanced: PictureFloor(gain: 9.26),
            .quality: PictureFloor(gain: 9.82),
        ],
        .object: [
            .merge: PictureFloor(gain: 7.26, pathGain: 5.66),
            .speed: PictureFloor(gain: 6.43, pathGain: 4.46),
            .balanced: PictureFloor(gain: 9.19, pathGain: 6.7),
            .quality: PictureFloor(gain: 9.78, pathGain: 7.24),
        ],
        .lowlight: [
            .merge: PictureFloor(gain: 7.97),
            .speed: PictureFloor(gain: 6.85),
            .balanced: PictureFloor(gain: 10.34),
            .quality: PictureFloor(gain: 11.01),
        ],
        .bright: [
            // Two losses of the bare merge alone: 0.09 dB when pairs of samples got one weight, for speed, and damage of
            // 0.22 dB instead of 0.10 since clipped paper is known to have no noise.
            .merge: PictureFloor(gain: 3.37, damage: (0.25, 1)),
            .speed: PictureFloor(gain: 3.6),
            .balanced: PictureFloor(gain: 4.43),
            .quality: PictureFloor(gain: 4.9),
        ],
        .flicker: [
            .merge: PictureFloor(gain: 8.33),
            .speed: PictureFloor(gain: 4.8),
            .balanced: PictureFloor(gain: 11.61),
            .quality: PictureFloor(gain: 12.96),
        ],
        .mjpeg: [
            .merge: PictureFloor(gain: 2.9, pathGain: 0.85),
            .speed: PictureFloor(gain: 1.75, pathGain: 0.35),
            .balanced: PictureFloor(gain: 3.37, pathGain: 0.96),
            .quality: PictureFloor(gain: 3.64, pathGain: 1.15),
        ],
    ]
}
