// SPDX-License-Identifier: MIT
// A synthetic scene with the ground truth of every frame: motion, light, object, noise, and the noise-free picture.

import LivecapFrames

/// The scene that a synthetic camera sees. Everything is a function of the settings, the size, the rate and a frame's
/// number. Any frame can be computed, in any order and on any machine, with bit-identical results.
package final class SyntheticScene: Sendable {
    /// The settings that define the scene.
    package let settings: SyntheticSettings
    /// The size of its frames.
    package let size: FrameSize
    /// The frame rate.
    package let rate: FrameRate

    let motion: SceneMotion
    /// The light of the scene; if near things move farther, of what is behind them.
    let map: SceneMap
    /// The light of near things times their coverage, which is the fourth channel.
    let nearMap: SceneMap?
    let ball: MovingBall?
    /// The room of the scene `depth`, whose distances are known.
    package let room: DepthScene?
    let mark: FrameMark?

    /// Builds the scene. This is the slow part: about a second per million pixels.
    package init(_ settings: SyntheticSettings, size: FrameSize, rate: FrameRate) throws(CameraError) {
        guard (8...8192).contains(size.width), (8...8192).contains(size.height) else {
            throw .badSettings("a synthetic scene has no \(size) pixels", hint: "from 8x8 to 8192x8192")
        }
        self.settings = settings
        self.size = size
        self.rate = rate
        try Self.refuseForeign(settings)
        motion = SceneMotion(settings: settings, size: size, rate: rate)
        let parallax = settings.camera?.parallax ?? 0
        let reach =
            motion.amplitude * (1 + parallax) + settings.rotation / 57 * Double(max(size.width, size.height)) / 2
        let content = SceneContent(seed: settings.seed, pixel: 1 / Float(size.height))
        let margin = Int(reach.rounded(.up)) + 4
        room =
            settings.scene == .depth
            ? DepthScene(seed: settings.seed, size: size, baseline: settings.baseline) : nil
        if room != nil {
            // All light comes from the room.
            map = SceneMap(size: FrameSize(width: 1, height: 1), margin: 0) { _, _ in .zero }
            nearMap = nil
        } else if let picture = settings.picture {
            let (width, height) = (size.width + 2 * margin, size.height + 2 * margin)
            let light = try PictureContent(path: picture).light(width: width, height: height)
            map = SceneMap(size: size, margin: margin, picture: light)
            nearMap = nil
        } else if parallax > 0 {
            map = SceneMap(size: size, margin: margin) { content.background($0, $1) }
            nearMap = SceneMap(size: size, margin: margin) { content.foreground($0, $1) }
        } else {
            map = SceneMap(size: size, margin: margin) { content.light($0, $1) }
            nearMap = nil
        }
        ball = settings.scene == .object ? MovingBall(size: size, seed: settings.seed) : nil
        mark = settings.isMarked ? FrameMark(fitting: size) : nil
    }

    /// Refuses settings that belong to other scenes.
    private static func refuseForeign(_ settings: SyntheticSettings) throws(CameraError) {
        guard settings.scene == .depth else {
            guard settings.baseline == 0 else {
                throw .badSettings("only the scene depth has a baseline", hint: "depth:baseline=\(settings.baseline)")
            }
            return
        }
        guard settings.motion == 0, settings.rotation == 0, settings.picture == nil, settings.camera == nil else {
            throw .badSettings(
                "the camera of the scene depth stands still, and is not modelled",
                hint: "leave out motion, rotation, picture, camera and its parts; baseline moves the camera aside")
        }
    }

    /// A frame's time in the scene, in seconds.
    package func seconds(ofFrame frame: Int) -> Double { motion.seconds(Double(picture(ofFrame: frame))) }

    /// The number of the frame whose picture a frame shows. Without prerendering it is the frame itself. Otherwise the
    /// prerendered pictures are shown forwards and backwards in turn, so that motion does not jump. Only the number in
    /// the mark is each frame's own.
    package func picture(ofFrame frame: Int) -> Int {
        let count = settings.prerenderedFrames
        guard count > 1 else { return count == 1 ? 0 : frame }
        let place = frame % (2 * count - 2)
        return place < count ? place : 2 * count - 2 - place
    }

    /// The camera's pose in a frame.
    package func pose(ofFrame frame: Int) -> CameraPose { pose(at: Double(picture(ofFrame: frame))) }

    /// The camera's pose at a moment, which is a number of frames with a fraction.
    package func pose(at moment: Double) -> CameraPose { motion.pose(moment) }

    /// The factors by which a frame's light is multiplied.
    package func gain(ofFrame frame: Int) -> LightGain { motion.gain(Double(picture(ofFrame: frame))) }

    /// The variance of a pixel's noise in each channel of linear light from 0 to 1 (after the gain): `shot` times the
    /// light, plus `read`. The noise is independent between pixels, channels and frames.
    package var noise: (shot: Double, read: Double) {
        let square = settings.noise * settings.noise
        return (SyntheticSettings.shotVariance * square, SyntheticSettings.readVariance * square)
    }

    /// The number of rows at the top that show the frame's number instead of the scene.
    package var markedRows: Int { mark?.height ?? 0 }

    /// The centre of the moving object in a frame, in pixels from the centre of the top left pixel; nil without an
    /// object.
    package func objectMiddle(ofFrame frame: Int) -> (x: Double, y: Double)? {
        objectMiddle(at: Double(picture(ofFrame: frame)))
    }

    /// The same at a moment between pictures.
    func objectMiddle(at moment: Double) -> (x: Double, y: Double)? {
        guard ball != nil else { return nil }
        // Transforms the position in the scene back to the frame.
        let (place, pose) = (motion.ball(moment), motion.pose(moment))
        let (middleX, middleY) = (Double(size.width - 1) / 2, Double(size.height - 1) / 2)
        let (x, y) = (place.x - pose.dx - middleX, place.y - pose.dy - middleY)
        let (cosine, sine) = (
            SceneMath.cosine(turns: pose.rotation / 360), SceneMath.sine(turns: pose.rotation / 360)
        )
        return (middleX + cosine * x + sine * y, middleY - sine * x + cosine * y)
    }

    /// How much of each pixel the moving object covers, row by row, from 0 to 1; empty without an object.
    package func objectMask(ofFrame frame: Int) -> [Float] {
        guard let ball, let middle = objectMiddle(ofFrame: frame) else { return [] }
        return (0..<size.area).map { index in
            ball.at(Double(index % size.width) - middle.x, Double(index / size.width) - middle.y).w
        }
    }

    /// A frame's picture without noise and before conversion to 8 bits: R', G' and B' of every pixel from 0 to 1, row
    /// by row. The mark is not included.
    package func truth(ofFrame frame: Int) -> [Float] {
        let renderer = FrameRenderer(self, format: FrameFormat(pixelFormat: .grey, size: size))
        var truth: [Float] = []
        truth.reserveCapacity(3 * size.area)
        renderer.renderRows(of: frame, isNoisy: false) { _ in
            for x in 0..<size.width {
                truth.append(renderer.red[x])
                truth.append(renderer.green[x])
                truth.append(renderer.blue[x])
            }
        }
        return truth
    }

    /// A frame's bytes in an uncompressed format, including the mark. With `isNoisy`, they are the same as the
    /// camera's.
    package func bytes(ofFrame frame: Int, format: FrameFormat, isNoisy: Bool = false) -> [UInt8] {
        precondition(format.size == size && !format.planes.isEmpty, "an uncompressed format of the scene's size")
        var bytes = [UInt8](repeating: 0, count: format.byteCount)
        if let depth = DepthFrameWriter(self, format: format, isNoisy: isNoisy) {
            bytes.withUnsafeMutableBytes { depth.write(frame, into: $0) }
            return bytes
        }
        let renderer = FrameRenderer(self, format: format)
        bytes.withUnsafeMutableBytes { renderer.render(frame, isNoisy: isNoisy, into: $0) }
        return bytes
    }
}
