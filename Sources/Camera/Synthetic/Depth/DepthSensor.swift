// SPDX-License-Identifier: MIT
// What a depth camera makes of a room: noise that grows with distance, ragged edges, and holes.

import LivecapFrames

/// The faults of a depth camera that measures disparities, as most do.
///
/// - Noise: a standard deviation of `noise * z * z` metres, for which disparities of constant noise stand.
/// - Edges: what is measured at a pixel belongs to one up to `raggedness` pixels away, since patches are matched.
/// - Shadows: what the second of its two imagers, `span` metres to the right of the first, does not see, has no depth.
/// - Darkness: where little light comes from, most pixels have no depth.
/// - Specks: single pixels without depth.
package struct DepthSensor: Hashable, Sendable {
    /// How strong all faults are: 1 for a usual camera, 0 for none.
    package var strength: Double
    /// Metres of noise at a distance of a metre, at strength 1.
    package var noise = 0.0025
    /// Pixels at strength 1 in a picture 640 wide.
    package var raggedness = 1.5
    /// Metres between the two imagers.
    package var span = 0.05
    /// The share of pixels that are specks, at strength 1.
    package var specks = 0.01

    /// A sensor with faults of a strength.
    package init(strength: Double = 1) { self.strength = strength }
}

/// Measures a room frame by frame. It is used by one thread at a time, and allocates only in `init`.
package final class DepthMeter {
    private let scene: DepthScene
    private let sensor: DepthSensor
    private let unit: DepthUnit
    private let tables = NoiseTables()
    private let rows: [UnsafeMutablePointer<DepthHit>]
    private let shadow: UnsafeMutablePointer<Bool>
    /// The counts of the row measured last, how sure they are (0 to 15), and the infrared light (0 to 1023).
    package let counts: UnsafeMutablePointer<UInt16>
    package let confidence: UnsafeMutablePointer<UInt8>
    package let infrared: UnsafeMutablePointer<UInt16>
    /// How far rows above and below are looked at, for ragged edges.
    private let reach: Int

    /// A meter for a room.
    package init(_ scene: DepthScene, _ sensor: DepthSensor, unit: DepthUnit = .millimetre) {
        self.scene = scene
        self.sensor = sensor
        self.unit = unit
        let width = scene.size.width
        reach = Int((sensor.raggedness * sensor.strength * Double(width) / 640).rounded(.up))
        rows = (0...2 * reach).map { _ in
            let row = UnsafeMutablePointer<DepthHit>.allocate(capacity: width)
            row.initialize(repeating: DepthHit(depth: 0, light: .zero), count: width)
            return row
        }
        func row<Element>(_ element: Element) -> UnsafeMutablePointer<Element> {
            let row = UnsafeMutablePointer<Element>.allocate(capacity: width)
            row.initialize(repeating: element, count: width)
            return row
        }
        shadow = row(false)
        counts = row(0)
        confidence = row(0)
        infrared = row(0)
    }

    deinit {
        for row in rows { row.deallocate() }
        shadow.deallocate()
        counts.deallocate()
        confidence.deallocate()
        infrared.deallocate()
    }

    /// Measures frame `frame`, at a time in seconds, row by row from the top; after each calls `body`.
    package func measure(_ frame: Int, at time: Double, _ body: (_ y: Int) -> Void) {
        let moment = scene.moment(time), height = scene.size.height
        for y in 0..<min(reach, height) { scene.look(row: y, at: moment, into: rows[y % rows.count]) }
        for y in 0..<height {
            if y + reach < height {
                scene.look(row: y + reach, at: moment, into: rows[(y + reach) % rows.count])
            }
            findShadow(y)
            measure(row: y, key: key(frame, y))
            body(y)
        }
    }

    /// All counts of a frame, row by row.
    package func frame(_ frame: Int, at time: Double) -> [UInt16] {
        var all: [UInt16] = []
        all.reserveCapacity(scene.size.area)
        measure(frame, at: time) { _ in all += UnsafeBufferPointer(start: counts, count: scene.size.width) }
        return all
    }

    private func key(_ frame: Int, _ y: Int) -> UInt64 {
        // Cameras beside each other have noise of their own.
        let seed = scene.seed &+ SceneMath.mixed(scene.baseline.bitPattern)
        let start = SceneMath.mixed(seed &+ 0xDE7 &+ UInt64(frame + 1) &* SceneMath.step)
        return start &+ UInt64(y * scene.size.width) &* SceneMath.step
    }

    /// Marks what the second imager does not see: what is nearer hides it there. From the right, it is whatever falls
    /// on a place at or beyond one that was already met.
    private func findShadow(_ y: Int) {
        let row = rows[y % rows.count]
        guard sensor.strength > 0 else { return }
        let pixels = Float(scene.focalLength * sensor.span)
        // The second imager is to the right, so things move left there, near ones more.
        var least = Float.infinity
        for x in stride(from: scene.size.width - 1, through: 0, by: -1) {
            let place = Float(x) - pixels / row[x].depth
            shadow[x] = place >= least
            least = min(least, place)
        }
    }

    private func measure(row y: Int, key: UInt64) {
        let width = scene.size.width, height = scene.size.height, own = rows[y % rows.count]
        let strength = sensor.strength
        let noise = Float(sensor.noise * strength), specks = UInt64(Double(1 << 16) * min(1, sensor.specks * strength))
        let dark = UInt64(Double(1 << 16) * min(1, 0.7 * strength)), wide = UInt64(2 * reach + 1)
        var counter = key
        for x in 0..<width {
            counter &+= SceneMath.step
            let bits = SceneMath.mixed(counter), light = own[x].light
            let luma = 0.2126 * light.x + 0.7152 * light.y + 0.0722 * light.z
            // Neighbours are chosen by two small numbers, and the rest is decided by others.
            let dx = Int(((bits & 0xFF) * wide) >> 8) - reach, dy = Int(((bits >> 8 & 0xFF) * wide) >> 8) - reach
            let nearby = rows[min(max(y + dy, 0), height - 1) % rows.count][min(max(x + dx, 0), width - 1)].depth
            let draw = tables.normal[Int(truncatingIfNeeded: bits >> 16 & 0xFFF)]
            let isLost =
                shadow[x] || bits >> 32 & 0xFFFF < specks || luma < 0.03 && bits >> 48 & 0xFFFF < dark
            let depth = nearby + draw * noise * nearby * nearby
            counts[x] = isLost ? DepthUnit.unknown : unit.count(Double(depth))
            confidence[x] = counts[x] == 0 ? 0 : UInt8(min(15, max(1, 15 * (1 - 0.06 * nearby * nearby) + draw)))
            infrared[x] = UInt16(min(1023, max(0, 1023 * luma.squareRoot() + 8 * draw * Float(strength))))
        }
    }
}
