// SPDX-License-Identifier: MIT
// Renders one frame of a scene to bytes: light, gain, noise, gamma, then the samples of the stream's format.

import LivecapFrames

/// Renders frames row by row. It owns its row memory, is used by one thread at a time, and allocates only in `init`.
final class FrameRenderer {
    /// The values shared by all rows of a frame.
    private struct Plan {
        let pose: CameraPose
        let gain: SIMD4<Float>
        let ball: (x: Double, y: Double)?
        let room: DepthScene.Moment?
        /// Nil without noise.
        let noiseKey: UInt64?
    }

    let scene: SyntheticScene
    /// R', G' and B' of the row rendered last.
    let red, green, blue: UnsafeMutablePointer<Float>
    private let columns: UnsafeMutablePointer<SIMD4<Float>>
    private let light: UnsafeMutablePointer<SIMD4<Float>>
    private let hits: UnsafeMutablePointer<DepthHit>
    private let writer: SampleWriter
    private let tables = NoiseTables()
    private let webcam: WebcamModel?
    private let format: FrameFormat

    init(_ scene: SyntheticScene, format: FrameFormat) {
        self.scene = scene
        self.format = format
        writer = SampleWriter(format)
        webcam = scene.settings.camera.map { [tables] in WebcamModel(scene, $0, tables) }
        func row() -> UnsafeMutablePointer<Float> {
            let row = UnsafeMutablePointer<Float>.allocate(capacity: SampleWriter.padded(scene.size.width))
            row.initialize(repeating: 0, count: SampleWriter.padded(scene.size.width))
            return row
        }
        red = row()
        green = row()
        blue = row()
        columns = .allocate(capacity: scene.map.width)
        columns.initialize(repeating: .zero, count: scene.map.width)
        light = .allocate(capacity: scene.size.width)
        light.initialize(repeating: .zero, count: scene.size.width)
        let places = scene.room == nil ? 1 : scene.size.width
        hits = .allocate(capacity: places)
        hits.initialize(repeating: DepthHit(depth: 0, light: .zero), count: places)
    }

    deinit {
        for row in [red, green, blue] { row.deallocate() }
        columns.deallocate()
        light.deallocate()
        hits.deallocate()
    }

    private func plan(_ frame: Int, isNoisy: Bool) -> Plan {
        let gain = scene.gain(ofFrame: frame)
        let key = SceneMath.mixed(scene.settings.seed &+ UInt64(scene.picture(ofFrame: frame) + 1) &* SceneMath.step)
        return Plan(
            pose: scene.pose(ofFrame: frame), gain: SIMD4(Float(gain.red), Float(gain.green), Float(gain.blue), 0),
            ball: scene.objectMiddle(ofFrame: frame),
            room: scene.room?.moment(scene.seconds(ofFrame: frame)),
            noiseKey: isNoisy && scene.settings.noise > 0 ? key : nil)
    }

    /// Renders a whole frame, including the mark, into memory laid out in the renderer's format.
    func render(_ frame: Int, isNoisy: Bool, into memory: UnsafeMutableRawBufferPointer) {
        renderRows(of: frame, isNoisy: isNoisy) { y in writer.write(row: y, red, green, blue, into: memory) }
        scene.mark?.draw(UInt32(truncatingIfNeeded: frame), into: memory, format: format)
    }

    /// Renders a frame's rows, from the top, into `red`, `green` and `blue`; after each calls `body`.
    func renderRows(of frame: Int, isNoisy: Bool, _ body: (_ y: Int) -> Void) {
        let plan = plan(frame, isNoisy: isNoisy)
        webcam?.develop(scene.picture(ofFrame: frame), isNoisy: isNoisy)
        for y in 0..<scene.size.height {
            if let webcam { webcam.read(row: y, red, green, blue) } else { renderRow(y, of: plan) }
            repeatLast()
            body(y)
        }
    }

    private func renderRow(_ y: Int, of plan: Plan) {
        let width = scene.size.width
        if let room = scene.room, let moment = plan.room {
            room.look(row: y, at: moment, into: hits)
            for x in 0..<width { light[x] = hits[x].light }
        } else {
            scene.map.sample(row: y, size: scene.size, pose: plan.pose, columns: columns, into: light)
        }
        if let ball = scene.ball, let middle = plan.ball { ball.lay(over: light, row: y, width: width, at: middle) }
        if let key = plan.noiseKey {
            addNoise(plan.gain, key &+ UInt64(y * width) &* SceneMath.step)
        } else {
            for x in 0..<width { light[x] *= plan.gain }
        }
        encode()
    }

    /// Applies gain and adds noise. Each pixel draws its three random numbers by its own position in the frame's
    /// sequence.
    private func addNoise(_ gain: SIMD4<Float>, _ key: UInt64) {
        let normal = tables.normal
        let (shot, read) = (Float(scene.noise.shot), SIMD4(repeating: Float(scene.noise.read)))
        var counter = key
        for x in 0..<scene.size.width {
            counter &+= SceneMath.step
            let bits = SceneMath.mixed(counter)
            let draw = SIMD4(
                normal[Int(truncatingIfNeeded: bits & 0xFFF)], normal[Int(truncatingIfNeeded: bits >> 20 & 0xFFF)],
                normal[Int(truncatingIfNeeded: bits >> 40 & 0xFFF)], 0)
            let value = light[x] * gain
            let lit = value.replacing(with: 0, where: value .< 0)
            light[x] = value + SceneMath.root(lit * shot + read) * draw
        }
    }

    /// Converts light to R'G'B'.
    private func encode() {
        let curve = tables.curve
        let (zero, one) = (SIMD4<Float>(repeating: 0), SIMD4<Float>(repeating: 1))
        for x in 0..<scene.size.width {
            let value = light[x].replacing(with: zero, where: light[x] .< zero)
            let index = NoiseTables.place(of: value.replacing(with: one, where: value .> one))
            red[x] = curve[Int(index.x)]
            green[x] = curve[Int(index.y)]
            blue[x] = curve[Int(index.z)]
        }
    }

    /// With an odd width, the chroma at the right edge is that of the last pixel alone.
    private func repeatLast() {
        let width = scene.size.width
        if width % 2 == 1 {
            (red[width], green[width], blue[width]) = (red[width - 1], green[width - 1], blue[width - 1])
        }
    }
}
