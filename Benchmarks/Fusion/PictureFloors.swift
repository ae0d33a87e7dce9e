// SPDX-License-Identifier: MIT
// The required quality of stills, scene by scene: the regression test of fusion's pictures.

import Fusion
import LivecapPictureMetrics

/// The minimum quality of a still. Pictures have the same bits on every machine, so floors are set close to the
/// measured values.
///
/// Each floor of a gain is the value that `livecap bench fusion --only fusion.quality` gave when it was set, less at
/// most 0.15 dB, rounded down to 0.01 dB. If a floor was ever lowered, a comment explains the loss. A still that
/// exceeds its floor by more than `maxSlack` is also reported, because that much could be lost again unnoticed.
struct PictureFloor {
    /// The gain in PSNR-Y over the single frame, in dB, for the whole picture.
    var gain: Double
    /// The same in the path of the moving object.
    var pathGain: Double?
    /// The damage in dB that 99.9 % of the windows may not exceed, and that no window may exceed; nil if that is not
    /// achieved.
    var damage: (most: Double, worst: Double)? = (0.2, 1)
    /// The maximum error of the mean brightness and of the mean chroma, in codes; nil if that is not achieved.
    var level: Double? = 0.5
    /// The mean weight that no frame of a merging method may be below; nil where frames really differ.
    var weight: Double?

    /// Where nothing moves, at most a twentieth of what each frame could give may be refused.
    private static let stillWeight = 0.95

    /// How far a gain may exceed its floor, in dB: the margin with which floors are set, plus some for small gains
    /// over time.
    static let maxSlack = 0.3

    /// Describes the requirements that a still misses, and the floors that are too low.
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
            if value > floor + Self.maxSlack {
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
        if let weight, let least = found.leastWeight {
            require("the least mean weight of a frame", least, atLeast: weight)
        }
        return complaints
    }

    /// The floor of a scene and a method; nil if there is none.
    static func of(_ scene: PictureScene, _ method: FusionMethod) -> PictureFloor? {
        var floor = floors[scene]?[method]
        if [.tripod, .desk, .dim, .sharpened].contains(scene) { floor?.weight = stillWeight }
        return floor
    }

    private static let floors: [PictureScene: [FusionMethod: PictureFloor]] = [
        .tripod: [
            .mean: PictureFloor(gain: 8.8),
            .merge: PictureFloor(gain: 8.87),
            .speed: PictureFloor(gain: 4.2),
            .balanced: PictureFloor(gain: 12.46),
            .quality: PictureFloor(gain: 14.34),
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
            // Two losses, only in the bare merge: 0.09 dB when pairs of samples got a common weight, for speed; and
            // damage, at first of 0.10 dB. It is 0.22 since clipped paper is known to have no noise, and 0.39 since
            // the few samples beside it that have noise may scatter, which gains 0.7 dB where a camera clips noise.
            .merge: PictureFloor(gain: 3.37, damage: (0.4, 1)),
            .speed: PictureFloor(gain: 3.6),
            .balanced: PictureFloor(gain: 4.43),
            .quality: PictureFloor(gain: 4.9),
        ],
        .flicker: [
            .merge: PictureFloor(gain: 8.93),
            .speed: PictureFloor(gain: 4.8),
            .balanced: PictureFloor(gain: 12.99),
            .quality: PictureFloor(gain: 14.72),
        ],
        .mjpeg: [
            .merge: PictureFloor(gain: 2.94, pathGain: 1.0),
            .speed: PictureFloor(gain: 1.75, pathGain: 0.35),
            .balanced: PictureFloor(gain: 3.37, pathGain: 1.11),
            .quality: PictureFloor(gain: 3.65, pathGain: 1.42),
        ],
        // Seen by modelled cameras.
        .webcam: [
            .merge: PictureFloor(gain: 1.24),
            .speed: PictureFloor(gain: 0.2),
            .balanced: PictureFloor(gain: 1.44),
            .quality: PictureFloor(gain: 1.66),
        ],
        .desk: [
            .merge: PictureFloor(gain: 6.92),
            .speed: PictureFloor(gain: 0.01),
            .balanced: PictureFloor(gain: 7.47),
            .quality: PictureFloor(gain: 8.16),
        ],
        // 0.16 dB less than when the light of a lamp's bands counted as noise, which lost 20 dB in stronger bands.
        .laptop: [
            .merge: PictureFloor(gain: 1.73),
            .speed: PictureFloor(gain: 0.05),
            .balanced: PictureFloor(gain: 1.95),
            .quality: PictureFloor(gain: 2.11),
        ],
        // Bands five times as strong as those of `laptop`.
        .bands: [
            .merge: PictureFloor(gain: 4.72),
            .speed: PictureFloor(gain: -0.03),
            .balanced: PictureFloor(gain: 5.15),
            .quality: PictureFloor(gain: 5.41),
        ],
        .dim: [
            .merge: PictureFloor(gain: 6.59),
            .speed: PictureFloor(gain: 0.09),
            .balanced: PictureFloor(gain: 7.03),
            .quality: PictureFloor(gain: 7.35),
        ],
        .sharpened: [
            .merge: PictureFloor(gain: 6.14),
            .speed: PictureFloor(gain: -0.08),
            .balanced: PictureFloor(gain: 6.6),
            .quality: PictureFloor(gain: 7.13),
        ],
        .passing: [
            .merge: PictureFloor(gain: 6.2, pathGain: 2.47),
            .speed: PictureFloor(gain: 0.07, pathGain: -0.04),
            .balanced: PictureFloor(gain: 6.72, pathGain: 2.72),
            .quality: PictureFloor(gain: 7.33, pathGain: 2.97),
        ],
        .filtered: [
            // 0.25 dB less in the path than when noise was bounded by six times the median: that left a mark beside
            // what passes in front of `webcam`.
            .merge: PictureFloor(gain: 2.08, pathGain: 1.3),
            .speed: PictureFloor(gain: 0.11, pathGain: -0.09),
            .balanced: PictureFloor(gain: 2.32, pathGain: 1.52),
            .quality: PictureFloor(gain: 2.59, pathGain: 1.78),
        ],
        // So dark and noisy that clipping at black brightens the frames: by 1.3 codes. 0.05 dB less since light does
        // not count as noise.
        .night: [
            .merge: PictureFloor(gain: 1.07, level: 1.3),
            .speed: PictureFloor(gain: 0.19, level: 1.3),
            .balanced: PictureFloor(gain: 1.18, level: 1.3),
            .quality: PictureFloor(gain: 1.3, level: 1.3),
        ],
        .good: [
            .merge: PictureFloor(gain: 1.66),
            .speed: PictureFloor(gain: 0.66),
            .balanced: PictureFloor(gain: 1.94),
            .quality: PictureFloor(gain: 2.49),
        ],
    ]
}
