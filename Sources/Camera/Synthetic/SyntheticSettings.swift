// SPDX-License-Identifier: MIT
// What a synthetic scene can be told, and the text it is told with: SCENE:key=value,key=value.

import Frames

/// A synthetic scene's settings, as in `handheld:seed=7,noise=strong`.
public struct SyntheticSettings: Hashable, Sendable {
    /// What happens in front of the camera, and behind it.
    public enum Scene: String, Sendable, CaseIterable {
        /// Nothing moves; mild noise.
        case tripod
        /// The camera trembles; mild noise.
        case handheld
        /// The camera trembles and a ball bounces through the picture.
        case object
        /// The camera trembles in the dark: strong noise.
        case lowlight
        /// Nothing moves, but brightness and white balance do.
        case flicker
    }

    /// What happens.
    public var scene: Scene
    /// Which of all scenes and noises of its kind.
    public var seed: UInt64 = 1
    /// The noise's strength: 1 is a webcam's in a lit room, 3 one's in the dark, 0 none.
    public var noise: Double = 1
    /// The most the camera moves from its middle position, in pixels of a picture 1280 wide.
    public var motion: Double = 0
    /// The most it turns, in degrees.
    public var rotation: Double = 0
    /// How far brightness swings, as a part of it.
    public var flicker: Double = 0
    /// How far red and blue swing against each other, as a part of them.
    public var whiteBalance: Double = 0
    /// All light is multiplied by this.
    public var exposure: Double = 1
    /// Frames a second, where the scene's text says so.
    public var rate: FrameRate?
    /// How many frames there are; nil: no end.
    public var frameCount: Int?
    /// Whether each frame's number is drawn into its pixels.
    public var isMarked = true
    /// Every so many frames, one is cut in half; 0: none.
    public var damageEvery = 0
    /// Every so many frames, one is lost; 0: none.
    public var gapEvery = 0
    /// How many frames are drawn before the stream starts, to be shown over and over; 0: each is drawn when it is due.
    /// MJPEG frames then have no mark.
    public var prerenderedFrames = 0
    /// The quality of MJPEG frames.
    public var jpegQuality = 90

    /// The usual settings of a scene.
    public init(_ scene: Scene) {
        self.scene = scene
        switch scene {
        case .tripod: break
        case .handheld, .object: motion = Self.mildMotion
        case .lowlight: (motion, noise, exposure) = (Self.mildMotion, 3, 0.3)
        case .flicker: (flicker, whiteBalance) = (0.12, 0.06)
        }
    }

    static let mildMotion = 6.0
    static let strongMotion = 24.0
    /// Parts of the light: the variance of noise 1 is `shotVariance` times the light plus `readVariance`.
    static let (shotVariance, readVariance) = (0.0004, 0.000004)
}

extension SyntheticSettings {
    /// The settings written `SCENE` or `SCENE:key=value,...`. What is unknown or senseless is refused with a list of
    /// what there is.
    public init(_ text: String) throws(CameraError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let scene = Scene(rawValue: parts[0].lowercased()) else {
            throw .badSettings(
                "there is no scene \"\(parts[0])\"",
                hint: "scenes: " + Scene.allCases.map(\.rawValue).joined(separator: ", "))
        }
        self.init(scene)
        guard parts.count == 2 else { return }
        for setting in parts[1].split(separator: ",") {
            let pair = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let key = Key.all.first(where: { $0.name == pair[0] }) else {
                throw .badSettings("a scene has no setting \"\(pair[0])\"", hint: "settings: " + Key.list)
            }
            guard pair.count == 2, key.apply(pair[1].lowercased(), &self) else {
                throw .badSettings("\"\(setting)\" makes no sense", hint: "\(key.name)=\(key.values)")
            }
        }
    }

    /// Every setting's name and values, for `--help` and errors.
    public static var help: String { Key.list }

    /// What the settings amount to, as text that makes the same ones.
    public var text: String {
        var parts = [
            "seed=\(seed)", "noise=\(noise)", "motion=\(motion)", "rotation=\(rotation)", "flicker=\(flicker)",
            "whitebalance=\(whiteBalance)", "exposure=\(exposure)", "mark=\(isMarked ? "yes" : "no")",
            "damage=\(damageEvery)", "gap=\(gapEvery)", "quality=\(jpegQuality)",
        ]
        if prerenderedFrames > 0 { parts.append("prerender=\(prerenderedFrames)") }
        if let rate { parts.append("fps=\(rate.numerator)/\(rate.denominator)") }
        if let frameCount { parts.append("frames=\(frameCount)") }
        return "\(scene.rawValue):" + parts.joined(separator: ",")
    }

    /// One setting: its name, what people may write, and what that does; false when it makes no sense.
    private struct Key: Sendable {
        let name: String
        let values: String
        let apply: @Sendable (String, inout SyntheticSettings) -> Bool

        static var list: String { all.map { "\($0.name)=\($0.values)" }.joined(separator: ", ") }

        static let all: [Key] = [
            Key(name: "seed", values: "NUMBER") { whole($0, 0...UInt64.max, &$1.seed) },
            Key(name: "noise", values: "none|mild|strong|0...20") {
                real($0, 0...20, words: ["none": 0, "mild": 1, "strong": 3], &$1.noise)
            },
            Key(name: "motion", values: "none|mild|strong|PIXELS") {
                real($0, 0...64, words: ["none": 0, "mild": mildMotion, "strong": strongMotion], &$1.motion)
            },
            Key(name: "rotation", values: "0...3 degrees") { real($0, 0...3, &$1.rotation) },
            Key(name: "flicker", values: "0...0.9") { real($0, 0...0.9, &$1.flicker) },
            Key(name: "whitebalance", values: "0...0.9") { real($0, 0...0.9, &$1.whiteBalance) },
            Key(name: "exposure", values: "0.01...4") { real($0, 0.01...4, &$1.exposure) },
            Key(name: "fps", values: "RATE") {
                $1.rate = FrameRate($0)
                return $1.rate != nil
            },
            Key(name: "frames", values: "NUMBER") {
                var count = 0
                guard whole($0, 1...Int(Int32.max), &count) else { return false }
                $1.frameCount = count
                return true
            },
            Key(name: "mark", values: "yes|no") {
                $1.isMarked = $0 == "yes" || $0 == "on"
                return ["yes", "no", "on", "off"].contains($0)
            },
            Key(name: "damage", values: "EVERY") { whole($0, 0...1_000_000, &$1.damageEvery) },
            Key(name: "gap", values: "EVERY") { $0 != "1" && whole($0, 0...1_000_000, &$1.gapEvery) },
            Key(name: "prerender", values: "NUMBER (drawn first, then looped; no mark in MJPEG)") {
                whole($0, 0...1_000_000, &$1.prerenderedFrames)
            },
            Key(name: "quality", values: "1...100 (of MJPEG)") { whole($0, 1...100, &$1.jpegQuality) },
        ]

        private static func whole<N: FixedWidthInteger>(_ text: String, _ range: ClosedRange<N>, _ result: inout N)
            -> Bool
        {
            guard let number = N(text), range.contains(number) else { return false }
            result = number
            return true
        }

        private static func real(
            _ text: String, _ range: ClosedRange<Double>, words: [String: Double] = [:], _ result: inout Double
        ) -> Bool {
            guard let number = words[text] ?? Double(text), range.contains(number) else { return false }
            result = number
            return true
        }
    }
}
