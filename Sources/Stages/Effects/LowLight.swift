// SPDX-License-Identifier: MIT
// Brightens pictures of dark rooms.

import LivecapCFusionKernels
import LivecapDetection

/// Measures how bright pictures are, and lifts dark ones. It needs no net, but heeds people where a matte is there
/// anyway: somebody before a bright window is dark. It owns its working memory. Used by one thread.
final class LowLight {
    private let kernels: UnsafePointer<fusion_kernels>
    private let range: (black: Int32, white: Int32)
    private let width: Int
    private let light: UnsafeMutablePointer<UInt8>
    /// A row of the matte.
    private let shares: UnsafeMutablePointer<Float>
    private var path = LowLightPath()
    private var whole = Histogram()
    private var people = Histogram()

    /// Of the whole picture, what counts is the mean of what is between these parts in order of brightness: lamps and
    /// bars do not. Of people it is the brighter half: black clothes do not make somebody dark.
    private static let ofWhole: ClosedRange<Float> = 0.1...0.9, ofPeople: ClosedRange<Float> = 0.5...0.95
    /// People count from the first share of the picture on, and they alone from the second on.
    private static let fewPeople: ClosedRange<Float> = 0.02...0.06
    /// Every so many cells are looked at, across and down.
    private static let step = 2

    init(_ kind: PictureKind) {
        kernels = kind.kernels
        range = kind.range
        width = kind.size.width
        light = .allocate(capacity: width)
        light.initialize(repeating: 128, count: width)
        let cells = max(1, width / QuadMap.side)
        shares = .allocate(capacity: cells)
        shares.initialize(repeating: 0, count: cells)
    }

    deinit {
        light.deallocate()
        shares.deallocate()
    }

    /// The next picture has nothing to do with the one before.
    func forget() { path = LowLightPath() }

    /// Brightens `planes`, of which `picture` is the map, as `settings` want it. `matte` has seen the picture before.
    /// Returns whether anything has changed.
    func brighten(
        _ planes: PicturePlanes, seen picture: QuadMap, people matte: PersonMatte?, _ settings: EffectSettings,
        after seconds: Double
    ) -> Bool {
        guard settings.brighten > 0 else {
            forget()
            return false
        }
        let lift = path.next(brightness(picture, path.isFresh ? nil : matte), after: seconds)
        // Light on faces comes on top: together they are no more than the strongest lift.
        let most = LowLightPath.most - Double(LightMap.most) * settings.light
        return draw(min(lift * settings.brighten, most), into: planes)
    }

    /// How bright a picture is, from 0 to 1.
    private func brightness(_ picture: QuadMap, _ matte: PersonMatte?) -> Double {
        whole.clear()
        people.clear()
        for y in stride(from: 0, to: picture.height, by: Self.step) {
            let row = picture.row(y)
            matte?.draw(row: y, of: picture, into: shares)
            for x in stride(from: 0, to: picture.width, by: Self.step) {
                let code = row[QuadMap.lanes * x]
                whole.add(code, 1)
                if matte != nil { people.add(code, shares[x]) }
            }
        }
        var code = whole.mean(within: Self.ofWhole)
        let few = Self.fewPeople
        let share = (people.count / whole.count - few.lowerBound) / (few.upperBound - few.lowerBound)
        if share > 0 { code += min(share, 1) * (people.mean(within: Self.ofPeople) - code) }
        return Double(min(max((code - Float(range.black)) / Float(range.white - range.black), 0), 1))
    }

    private func draw(_ lift: Double, into planes: PicturePlanes) -> Bool {
        var isChanged = false
        for part in [min(lift, 1), lift - 1] {
            let code = UInt8((128 + 127 * max(part, 0)).rounded())
            guard code > 128 else { continue }
            light.update(repeating: code, count: width)
            for y in 0..<planes.cb.height { draw(y, of: planes) }
            isChanged = true
        }
        return isChanged
    }

    /// Lifts two rows of brightness, and one of chroma, which has to know the brightness before.
    private func draw(_ y: Int, of planes: PicturePlanes) {
        let (upper, lower) = (planes.luma.row(2 * y), planes.luma.row(2 * y + 1))
        for plane in [planes.cb, planes.cr] {
            kernels.pointee.effects.light_chroma(
                plane.row(y), upper, lower, light, width / 2, range.black, range.white, plane.row(y))
        }
        for row in [upper, lower] {
            kernels.pointee.effects.light_luma(row, light, width, range.black, range.white, row)
        }
    }
}

/// How often each code of brightness occurs.
private struct Histogram {
    private var counts = [Float](repeating: 0, count: 256)
    /// How much was added.
    private(set) var count: Float = 0

    mutating func clear() {
        for code in counts.indices { counts[code] = 0 }
        count = 0
    }

    mutating func add(_ code: Float, _ weight: Float) {
        counts[Int(min(max(code, 0), 255) + 0.5)] += weight
        count += weight
    }

    /// The mean of what is between two parts of all, in order of brightness; 0 of nothing.
    func mean(within parts: ClosedRange<Float>) -> Float {
        let (from, to) = (parts.lowerBound * count, parts.upperBound * count)
        guard to > from else { return 0 }
        var passed: Float = 0, sum: Float = 0
        for code in counts.indices {
            let weight = min(passed + counts[code], to) - max(passed, from)
            if weight > 0 { sum += weight * Float(code) }
            passed += counts[code]
        }
        return sum / (to - from)
    }
}
