// SPDX-License-Identifier: MIT
// The settings of a synthetic scene, and the text form they are given in: SCENE:key=value,key=value.

import LivecapFrames

/// The settings of a synthetic scene, as in `handheld:seed=7,noise=strong`.
public struct SyntheticSettings: Hashable, Sendable {
    /// What happens in front of the camera and to the camera itself.
    public enum Scene: String, Hashable, Codable, Sendable, CaseIterable {
        /// Nothing moves; mild noise.
        case tripod
        /// The camera trembles; mild noise.
        case handheld
        /// The camera trembles and a ball bounces through the picture.
        case object
        /// The camera trembles in the dark: strong noise.
        case lowlight
        /// Nothing moves, but brightness and white balance fluctuate.
        case flicker
        /// A room whose distances are known: with a format of depth cameras, frames are depth. Boards and balls are at
        /// different distances, and two balls move.
        case depth
    }

    /// The kind of scene.
    public var scene: Scene
    /// Selects one of many variants of the scene and its noise.
    public var seed: UInt64 = 1
    /// The noise level: 1 is a webcam's in a lit room, 3 a webcam's in the dark, 0 none.
    public var noise: Double = 1
    /// The camera's maximum shift from its middle position, in pixels of a picture 1280 pixels wide.
    public var motion: Double = 0
    /// The camera's maximum rotation in degrees.
    public var rotation: Double = 0
    /// The amplitude of brightness changes, relative to the brightness.
    public var flicker: Double = 0
    /// The amplitude by which red and blue change in opposite directions, relative to them.
    public var whiteBalance: Double = 0
    /// How far the camera is to the right of the room's middle, in metres; for the scene `depth`.
    public var baseline: Double = 0
    /// How much later than its light each frame's stated time is.
    public var clockOffset: Duration = .zero
    /// By how many millionths the clock of the stated times is fast.
    public var clockDrift: Double = 0
    /// A factor for all light.
    public var exposure: Double = 1
    /// The frame rate, if the settings include one.
    public var rate: FrameRate?
    /// The total number of frames; nil for an endless scene.
    public var frameCount: Int?
    /// Whether each frame's number is drawn into its pixels.
    public var isMarked = true
    /// Whether frames show the truth: without noise, unevenness and hot pixels.
    public var isTruth = false
    /// One of every N frames is cut in half; 0 for none.
    public var damageEvery = 0
    /// One of every N frames is lost; 0 for none.
    public var gapEvery = 0
    /// The number of frames to draw before the stream starts and then show repeatedly; 0 to draw each frame when it is
    /// due. With prerendering, MJPEG frames have no mark.
    public var prerenderedFrames = 0
    /// The quality of MJPEG frames.
    public var jpegQuality = 90
    /// The path of a JPEG picture to see instead of the still life.
    public var picture: String?
    /// The camera that looks at the scene; nil for one without faults but noise.
    public var camera: WebcamSettings?

    /// Creates the default settings of a scene.
    public init(_ scene: Scene) {
        self.scene = scene
        switch scene {
        case .tripod, .depth: break
        case .handheld, .object: motion = Self.mildMotion
        case .lowlight: (motion, noise, exposure) = (Self.mildMotion, 3, 0.3)
        case .flicker: (flicker, whiteBalance) = (0.12, 0.06)
        }
    }

    static let mildMotion = 6.0
    static let strongMotion = 24.0
    /// Relative to full light: at noise 1, the variance is `shotVariance` times the light plus `readVariance`.
    static let (shotVariance, readVariance) = (0.0004, 0.000004)
}

extension SyntheticSettings {
    /// Parses `SCENE` or `SCENE:key=value,...`. The error for an unknown or invalid part lists the valid ones.
    /// - Throws: `badSettings`, which lists what is valid in place of the unknown or invalid part.
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
            guard pair.count == 2, key.apply(key.isVerbatim ? String(pair[1]) : pair[1].lowercased(), &self) else {
                throw .badSettings("\"\(setting)\" is not valid", hint: "\(key.name)=\(key.values)")
            }
        }
    }

    /// The names and values of all settings, for `--help` and error messages.
    public static var help: String { Key.list }

    /// One setting: its name, the values people may write, and a closure that applies a value and returns false if it
    /// is invalid.
    private struct Key: Sendable {
        let name: String
        let values: String
        /// Whether upper and lower case differ.
        var isVerbatim = false
        let apply: @Sendable (String, inout SyntheticSettings) -> Bool

        static var list: String { all.map { "\($0.name)=\($0.values)" }.joined(separator: ", ") }

        static let all: [Key] =
            [
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
                Key(name: "baseline", values: "-0.5...0.5 (metres to the right, of depth)") {
                    real($0, -0.5...0.5, &$1.baseline)
                },
                Key(name: "offset", values: "-500ms...500ms (of stated times)") {
                    guard let offset = SceneClock.offset($0) else { return false }
                    $1.clockOffset = offset
                    return true
                },
                Key(name: "drift", values: "-10000...10000 (millionths that stated times gain)") {
                    real($0, -10_000...10_000, &$1.clockDrift)
                },
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
                Key(name: "mark", values: "yes|no") { flag($0, &$1.isMarked) },
                Key(name: "truth", values: "yes|no (frames without noise)") { flag($0, &$1.isTruth) },
                Key(name: "damage", values: "EVERY") { whole($0, 0...1_000_000, &$1.damageEvery) },
                Key(name: "gap", values: "EVERY") { $0 != "1" && whole($0, 0...1_000_000, &$1.gapEvery) },
                Key(name: "prerender", values: "NUMBER (drawn first, then looped; no mark in MJPEG)") {
                    whole($0, 0...1_000_000, &$1.prerenderedFrames)
                },
                Key(name: "quality", values: "1...100 (of MJPEG)") { whole($0, 1...100, &$1.jpegQuality) },
                Key(name: "picture", values: "FILE (a JPEG to see, without commas in its name)", isVerbatim: true) {
                    $1.picture = $0
                    return !$0.isEmpty
                },
                Key(name: "camera", values: "MODEL (\(cameras.joined(separator: ", ")))") {
                    guard cameras.contains($0) else { return false }
                    $1.camera = WebcamSettings.Preset(rawValue: $0).map { WebcamSettings($0) }
                    if $0 == "plain" { $1.camera = .plain }
                    return true
                },
                Key(name: "mosaic", values: "yes|no") {
                    var camera = $1.camera ?? .plain
                    guard flag($0, &camera.isMosaic) else { return false }
                    $1.camera = camera
                    return true
                },
            ]
            + WebcamSettings.Part.all.map { part in
                let (low, high) = (part.range.lowerBound, part.range.upperBound)
                return Key(name: part.name, values: "\(low.inWords)...\(high.inWords)") { text, settings in
                    var value = 0.0
                    guard real(text, part.range, &value) else { return false }
                    var camera = settings.camera ?? .plain
                    part.set(value, &camera)
                    settings.camera = camera
                    return true
                }
            }

        private static let cameras = ["none", "plain"] + WebcamSettings.Preset.allCases.map(\.rawValue)

        private static func flag(_ text: String, _ result: inout Bool) -> Bool {
            result = text == "yes" || text == "on"
            return result || text == "no" || text == "off"
        }

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

extension SyntheticSettings: CustomStringConvertible {
    /// The complete settings as text. Parsing it yields equal settings.
    public var description: String {
        var parts = [
            "seed=\(seed)", "noise=\(noise)", "motion=\(motion)", "rotation=\(rotation)", "flicker=\(flicker)",
            "whitebalance=\(whiteBalance)", "exposure=\(exposure)", "mark=\(isMarked ? "yes" : "no")",
            "damage=\(damageEvery)", "gap=\(gapEvery)", "quality=\(jpegQuality)",
        ]
        if isTruth { parts.append("truth=yes") }
        if baseline != 0 { parts.append("baseline=\(baseline)") }
        if clockOffset != .zero { parts.append("offset=\(SceneClock.text(clockOffset))") }
        if clockDrift != 0 { parts.append("drift=\(clockDrift)") }
        if prerenderedFrames > 0 { parts.append("prerender=\(prerenderedFrames)") }
        if let rate { parts.append("fps=\(rate.numerator)/\(rate.denominator)") }
        if let frameCount { parts.append("frames=\(frameCount)") }
        if let picture { parts.append("picture=\(picture)") }
        if let camera { parts += ["camera=plain"] + camera.parts }
        return "\(scene.rawValue):" + parts.joined(separator: ",")
    }
}

extension SyntheticSettings: Codable {
    /// Decodes settings from their text. Throws `DecodingError` for text that is not valid.
    public init(from decoder: any Decoder) throws { self = try decoder.value { try? SyntheticSettings($0) } }
    /// Encodes the complete settings as text.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(text: description) }
}

extension Double {
    /// Without a fraction if it has none.
    fileprivate var inWords: String { self == rounded() ? "\(Int(self))" : "\(self)" }
}
