// SPDX-License-Identifier: MIT
// A synthetic scene and the truth about every one of its frames: motion, light, object, noise, and the picture without.

import Frames

/// What a synthetic camera sees. All of it is a function of the settings, the size, the rate and a frame's number: any
/// frame can be asked about, in any order, on any machine, with the same answer to the bit.
public final class SyntheticScene: Sendable {
    /// What it was told.
    public let settings: SyntheticSettings
    /// Pixels of its frames.
    public let size: FrameSize
    /// Frames a second.
    public let rate: FrameRate

    let motion: SceneMotion
    let map: SceneMap
    let ball: MovingBall?
    let mark: FrameMark?

    /// Sets the scene up: the slow part, about a second for a million pixels.
    public init(_ settings: SyntheticSettings, size: FrameSize, rate: FrameRate) throws(CameraError) {
        guard (8...8192).contains(size.width), (8...8192).contains(size.height) else {
            throw .badSettings("a synthetic scene has no \(size) pixels", hint: "from 8x8 to 8192x8192")
        }
        self.settings = settings
        self.size = size
        self.rate = rate
        motion = SceneMotion(settings: settings, size: size, rate: rate)
        let reach = motion.amplitude + settings.rotation / 57 * Double(max(size.width, size.height)) / 2
        let content = SceneContent(seed: settings.seed, pixel: 1 / Float(size.height))
        map = SceneMap(content, size: size, margin: Int(reach.rounded(.up)) + 4)
        ball = settings.scene == .object ? MovingBall(size: size, seed: settings.seed) : nil
        mark = settings.isMarked ? FrameMark(fitting: size) : nil
    }

    /// The frame whose picture a frame shows: itself, or with so many prerendered the one whose turn it is, forth to the
    /// last of them and back to the first, so that motion has no jump. Only the number in the mark is each frame's own.
    public func picture(ofFrame frame: Int) -> Int {
        let count = settings.prerenderedFrames
        guard count > 1 else { return count == 1 ? 0 : frame }
        let place = frame % (2 * count - 2)
        return place < count ? place : 2 * count - 2 - place
    }

    /// Where the camera looks in a frame.
    public func pose(ofFrame frame: Int) -> CameraPose { motion.pose(picture(ofFrame: frame)) }

    /// What the light is multiplied by in a frame.
    public func gain(ofFrame frame: Int) -> LightGain { motion.gain(picture(ofFrame: frame)) }

    /// The variance of a pixel's noise in a frame, in each channel of linear light from 0 to 1 (after the gain):
    /// `shot` times the light, plus `read`. It is independent from pixel to pixel, channel to channel, frame to frame.
    public var noise: (shot: Double, read: Double) {
        let square = settings.noise * settings.noise
        return (SyntheticSettings.shotVariance * square, SyntheticSettings.readVariance * square)
    }

    /// Rows of pixels from the top that show the frame's number instead of the scene.
    public var markedRows: Int { mark?.height ?? 0 }

    /// The moving object's middle in a frame, in pixels from the middle of the top left one; nil without an object.
    public func objectMiddle(ofFrame frame: Int) -> (x: Double, y: Double)? {
        guard ball != nil else { return nil }
        // The scene's place turned back into the frame's.
        let picture = picture(ofFrame: frame)
        let (place, pose) = (motion.ball(picture), motion.pose(picture))
        let (middleX, middleY) = (Double(size.width - 1) / 2, Double(size.height - 1) / 2)
        let (x, y) = (place.x - pose.dx - middleX, place.y - pose.dy - middleY)
        let (cosine, sine) = (
            SceneMath.cosine(turns: pose.rotation / 360), SceneMath.sine(turns: pose.rotation / 360)
        )
        return (middleX + cosine * x + sine * y, middleY - sine * x + cosine * y)
    }

    /// How much of each pixel the moving object covers in a frame, row by row, 0 to 1; empty without an object.
    public func objectMask(ofFrame frame: Int) -> [Float] {
        guard let ball, let middle = objectMiddle(ofFrame: frame) else { return [] }
        return (0..<size.area).map { index in
            ball.at(Double(index % size.width) - middle.x, Double(index / size.width) - middle.y).w
        }
    }

    /// A frame's picture without noise and before it is brought to 8 bits: R', G' and B' of every pixel, 0 to 1, row by
    /// row. The mark is not in it.
    public func truth(ofFrame frame: Int) -> [Float] {
        let renderer = FrameRenderer(self, format: FrameFormat(pixelFormat: .grey, size: size))
        var truth: [Float] = []
        truth.reserveCapacity(3 * size.area)
        for y in 0..<size.height {
            renderer.renderRow(y, of: renderer.plan(frame, isNoisy: false))
            for x in 0..<size.width {
                truth.append(renderer.red[x])
                truth.append(renderer.green[x])
                truth.append(renderer.blue[x])
            }
        }
        return truth
    }

    /// A frame's bytes in an uncompressed format, mark included: as the camera gives them, or without noise.
    public func bytes(ofFrame frame: Int, format: FrameFormat, isNoisy: Bool = false) -> [UInt8] {
        precondition(format.size == size && !format.planes.isEmpty, "an uncompressed format of the scene's size")
        let renderer = FrameRenderer(self, format: format)
        var bytes = [UInt8](repeating: 0, count: format.byteCount)
        bytes.withUnsafeMutableBytes { renderer.render(frame, isNoisy: isNoisy, into: $0) }
        return bytes
    }
}
