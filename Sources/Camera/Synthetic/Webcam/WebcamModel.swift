// SPDX-License-Identifier: MIT
// A camera from lens to last filter, as a function of a scene and a picture's number.

import LivecapFrames

/// Develops a scene's pictures as a modelled camera would. It owns its memory and is used by one thread at a time.
///
/// The flow: light of each row at its own time -> lens -> sensor -> demosaicking -> balance, matrix, tone curve ->
/// average over time -> smoothing -> sharpening. Without noise, everything else happens just so: that is the truth.
final class WebcamModel {
    private let scene: SyntheticScene
    private let settings: WebcamSettings
    private let sensor: Sensor
    private let filters: NoiseFilters
    private let tables: NoiseTables
    private let size: FrameSize
    private let columns: UnsafeMutablePointer<SIMD4<Float>>
    private let near: UnsafeMutablePointer<SIMD4<Float>>
    private let light: UnsafeMutablePointer<SIMD4<Float>>
    private let sum: UnsafeMutablePointer<SIMD4<Float>>
    private let raw: PicturePlanes
    private let scratch: PicturePlanes
    private let picture: PicturePlanes
    /// The latest pictures before the filters over time and place, so that each is developed once.
    private var developed: [(key: Key, planes: PicturePlanes)] = []

    private struct Key: Equatable {
        var picture: Int
        var isNoisy: Bool
    }

    /// Moments of an exposure whose light is added up.
    private static let moments = 4
    /// The frequency of lamps: twice that of the mains.
    private static let lampHertz = 100.0

    init(_ scene: SyntheticScene, _ settings: WebcamSettings, _ tables: NoiseTables) {
        self.scene = scene
        self.settings = settings
        self.tables = tables
        size = scene.size
        sensor = Sensor(settings, noise: scene.noise, seed: scene.settings.seed)
        filters = NoiseFilters(settings, noise: scene.settings.noise)
        func row(_ count: Int) -> UnsafeMutablePointer<SIMD4<Float>> {
            let row = UnsafeMutablePointer<SIMD4<Float>>.allocate(capacity: count)
            row.initialize(repeating: .zero, count: count)
            return row
        }
        columns = row(scene.map.width)
        near = row(size.width)
        light = row(size.width)
        sum = row(size.width)
        let (width, height) = (size.width, size.height)
        raw = PicturePlanes(width: width, height: height)
        scratch = PicturePlanes(width: width, height: height)
        picture = PicturePlanes(width: width, height: height)
    }

    deinit { for row in [columns, near, light, sum] { row.deallocate() } }

    /// Makes a picture, whose rows `read` then has.
    func develop(_ number: Int, isNoisy: Bool) {
        let now = developed(number, isNoisy)
        let earlier = (0..<min(filters.earlierFrames, number)).map { developed(number - 1 - $0, isNoisy) }
        filters.average(now, with: earlier, into: picture)
        filters.smooth(picture, scratch)
        filters.sharpen(picture.first, scratch)
    }

    /// R', G' and B' of a row.
    func read(
        row y: Int, _ red: UnsafeMutablePointer<Float>, _ green: UnsafeMutablePointer<Float>,
        _ blue: UnsafeMutablePointer<Float>
    ) {
        let (luma, cb, cr) = (picture.first.row(y), picture.second.row(y), picture.third.row(y))
        for x in 0..<size.width {
            let (r, b) = (luma[x] + Self.cr * cr[x], luma[x] + Self.cb * cb[x])
            red[x] = SceneMath.clamped(r)
            blue[x] = SceneMath.clamped(b)
            green[x] = SceneMath.clamped((luma[x] - Self.red * r - Self.blue * b) * (1 / Self.green))
        }
    }

    // BT.601.
    private static let (red, green, blue): (Float, Float, Float) = (0.299, 0.587, 0.114)
    private static let (cb, cr): (Float, Float) = (1.772, 1.402)

    /// A picture before the filters.
    private func developed(_ number: Int, _ isNoisy: Bool) -> PicturePlanes {
        let key = Key(picture: number, isNoisy: isNoisy)
        if let known = developed.first(where: { $0.key == key }) { return known.planes }
        var planes = PicturePlanes(width: size.width, height: size.height)
        if developed.count > filters.earlierFrames { planes = developed.removeFirst().planes }
        expose(number, into: planes)
        readSensor(number, isNoisy, planes)
        encode(into: planes)
        developed.append((key, planes))
        return planes
    }

    /// The light that falls on the sensor.
    private func expose(_ number: Int, into planes: PicturePlanes) {
        for y in 0..<size.height {
            let read = Double(number) + settings.shutter * (Double(y) / Double(size.height) - 0.5)
            let moments = settings.blur > 0 ? Self.moments : 1
            for moment in 0..<moments {
                let part = (Double(moment) + 0.5) / Double(moments) - 0.5
                look(row: y, at: read + settings.blur * part)
                for x in 0..<size.width { sum[x] = moment == 0 ? light[x] : sum[x] + light[x] }
            }
            let gain = scene.motion.gain(read)
            let lamp = 1 + settings.bands * SceneMath.sine(turns: Self.lampHertz * scene.motion.seconds(read))
            let share = lamp / Double(moments)
            let all = SIMD4(Float(gain.red * share), Float(gain.green * share), Float(gain.blue * share), 0)
            for x in 0..<size.width {
                let value = sum[x] * all
                planes.first.row(y)[x] = value.x
                planes.second.row(y)[x] = value.y
                planes.third.row(y)[x] = value.z
            }
        }
        guard settings.lens > 0 else { return }
        let weights = PicturePlane.bell(settings.lens)
        for plane in planes.all { plane.blur(weights, scratch.first) }
    }

    /// A row of the scene's light at a moment, which is a frame's number with a fraction.
    private func look(row y: Int, at moment: Double) {
        let pose = scene.motion.pose(moment)
        scene.map.sample(row: y, size: size, pose: pose, columns: columns, into: light)
        if let map = scene.nearMap {
            let factor = 1 + settings.parallax
            let nearer = CameraPose(dx: pose.dx * factor, dy: pose.dy * factor, rotation: pose.rotation)
            map.sample(row: y, size: size, pose: nearer, columns: columns, into: near)
            for x in 0..<size.width { light[x] = light[x] * (1 - near[x].w) + near[x] }
        }
        if let ball = scene.ball, let middle = scene.objectMiddle(at: moment) {
            ball.lay(over: light, row: y, width: size.width, at: middle)
        }
    }

    private func readSensor(_ number: Int, _ isNoisy: Bool, _ planes: PicturePlanes) {
        let key = SceneMath.mixed(scene.settings.seed &+ UInt64(number + 1) &* SceneMath.step)
        let isNoisy = isNoisy && scene.settings.noise > 0
        for y in 0..<size.height {
            let (red, green, blue) = (planes.first.row(y), planes.second.row(y), planes.third.row(y))
            for x in 0..<size.width { light[x] = SIMD4(red[x], green[x], blue[x], 0) }
            sensor.read(light, row: y, width: size.width, key: isNoisy ? key : nil, tables.normal, into: raw)
        }
        guard settings.isMosaic else { return }
        scratch.first.copy(raw.first)
        Mosaic.interpolate(scratch.first, into: raw)
    }

    /// Converts what the sensor read to Y'CbCr.
    private func encode(into planes: PicturePlanes) {
        let (curve, tone) = (tables.curve, Float(settings.tone))
        let (zero, one) = (SIMD4<Float>(repeating: 0), SIMD4<Float>(repeating: 1))
        for y in 0..<size.height {
            sensor.develop(raw, row: y, width: size.width, into: light)
            for x in 0..<size.width {
                let index = NoiseTables.place(of: light[x].clamped(lowerBound: zero, upperBound: one))
                var code = SIMD4(curve[Int(index.x)], curve[Int(index.y)], curve[Int(index.z)], 0)
                // A smooth step makes dark darker and bright brighter.
                code += tone * (code * code * (3 - 2 * code) - code)
                let luma = (Self.red * code.x + Self.green * code.y) + Self.blue * code.z
                planes.first.row(y)[x] = luma
                planes.second.row(y)[x] = (code.z - luma) * (1 / Self.cb)
                planes.third.row(y)[x] = (code.x - luma) * (1 / Self.cr)
            }
        }
    }
}
