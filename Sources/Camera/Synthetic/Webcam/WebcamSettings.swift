// SPDX-License-Identifier: MIT
// What a modelled camera does to the light of a scene, part by part.

/// The parts of a modelled camera, from the shutter to the last filter, each of which can be left out.
///
/// The parts and their order are those of published camera pipelines: lens, colour filter array and noise of a sensor;
/// demosaicking, white balance, colour matrix and tone curve; then the filters by which a webcam hides its noise.
/// docs/synthetic.md says what each part is modelled on.
public struct WebcamSettings: Hashable, Codable, Sendable {
    /// The share of a frame's time in which the rows are read, one after the other.
    public var shutter: Double = 0
    /// The share of a frame's time for which each row is exposed: what moves is blurred by that.
    public var blur: Double = 0
    /// How much farther near things move than those behind them.
    public var parallax: Double = 0
    /// The standard deviation of the lens's blur, in pixels.
    public var lens: Double = 0
    /// The amplitude by which lamps on the mains brighten and darken rows.
    public var bands: Double = 0
    /// Whether a pixel sees one colour only, so that the others are interpolated.
    public var isMosaic = false
    /// How far the sensor's colours are from the picture's: 1 as of a small sensor. Undoing it costs noise.
    public var matrix: Double = 0
    /// A factor of the scene's noise: how much the sensor's signal is amplified.
    public var gain: Double = 1
    /// The noise that all pixels of a row share, relative to full light.
    public var rows: Double = 0
    /// How much the pixels' sensitivity differs, relative to it (photo response non-uniformity).
    public var unevenness: Double = 0
    /// How many of a million pixels are far too bright.
    public var hotPixels: Double = 0
    /// How much contrast the tone curve adds to sRGB's.
    public var tone: Double = 0
    /// The strength of the filter over earlier frames, which what moves is spared.
    public var temporal: Double = 0
    /// The strength of the filter over neighbouring pixels, which is stronger for colours.
    public var denoise: Double = 0
    /// How much edges are sharpened in the end.
    public var sharpen: Double = 0

    /// A camera that changes nothing.
    public static let plain = WebcamSettings()

    /// Named cameras.
    public enum Preset: String, Hashable, Codable, Sendable, CaseIterable {
        /// A usual webcam in a lit room.
        case webcam
        /// The small camera in a laptop's lid, by lamplight.
        case laptop
        /// A webcam in a dim room.
        case dim
        /// A camera that sharpens far too much.
        case sharpened
        /// A camera that averages what stands still over time.
        case filtered
        /// A webcam at night: little but noise.
        case night
        /// A good webcam by daylight.
        case good
    }

    /// A camera that changes nothing.
    public init() {}

    /// A named camera.
    public init(_ preset: Preset) {
        self.init()
        shutter = 0.9
        blur = 0.4
        parallax = 0.1
        lens = 0.55
        isMosaic = true
        matrix = 0.6
        gain = 1.2
        unevenness = 0.008
        hotPixels = 10
        tone = 0.3
        denoise = 0.85
        sharpen = 0.8
        switch preset {
        case .webcam: break
        case .laptop: (lens, matrix, gain, hotPixels, denoise, sharpen, bands) = (0.9, 0.9, 1.8, 40, 0.9, 1.2, 0.02)
        case .dim: (gain, rows, hotPixels, denoise, blur) = (3, 0.0006, 60, 0.95, 0.9)
        case .sharpened: (sharpen, tone) = (2.5, 0.5)
        case .filtered: (gain, temporal, denoise) = (2, 0.75, 0.85)
        case .night:
            gain = 6
            rows = 0.0015
            hotPixels = 200
            denoise = 0.95
            blur = 0.95
            temporal = 0.4
            sharpen = 0.5
        case .good:
            shutter = 0.5
            lens = 0.45
            matrix = 0.4
            gain = 0.6
            unevenness = 0.004
            hotPixels = 0
            tone = 0.2
            denoise = 0.6
            sharpen = 0.4
            blur = 0.2
        }
    }
}

extension WebcamSettings {
    /// A part by its name in the text of a scene.
    struct Part: Sendable {
        let name: String
        let range: ClosedRange<Double>
        let get: @Sendable (WebcamSettings) -> Double
        let set: @Sendable (Double, inout WebcamSettings) -> Void

        private init(
            _ name: String, _ range: ClosedRange<Double>, _ path: WritableKeyPath<WebcamSettings, Double> & Sendable
        ) {
            self.name = name
            self.range = range
            get = { $0[keyPath: path] }
            set = { $1[keyPath: path] = $0 }
        }

        static let all = [
            Part("shutter", 0...1, \.shutter), Part("blur", 0...1, \.blur), Part("parallax", 0...1, \.parallax),
            Part("lens", 0...3, \.lens), Part("bands", 0...0.5, \.bands), Part("matrix", 0...1, \.matrix),
            Part("gain", 0.1...20, \.gain), Part("rows", 0...0.1, \.rows), Part("unevenness", 0...0.2, \.unevenness),
            Part("hot", 0...10_000, \.hotPixels), Part("tone", 0...1, \.tone), Part("temporal", 0...0.95, \.temporal),
            Part("denoise", 0...1, \.denoise), Part("sharpen", 0...5, \.sharpen),
        ]
    }

    /// The parts as `name=value`, from which equal settings follow.
    var parts: [String] {
        Part.all.map { "\($0.name)=\($0.get(self))" } + ["mosaic=\(isMosaic ? "yes" : "no")"]
    }
}
