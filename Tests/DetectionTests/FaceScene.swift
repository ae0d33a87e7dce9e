// SPDX-License-Identifier: MIT
// Pictures with a face somewhere, of any size, before backgrounds of many kinds.

import Fusion
import LivecapFrames
import LivecapSeededRandom

@testable import LivecapDetection

/// What is behind somebody, or what is there if nobody is.
enum Backdrop: CaseIterable {
    case wall, sunset, shelf, window, spots, weave
}

/// Where a face is to be, and how the picture is taken.
struct FacePlan {
    /// The width of its box in pixels of a picture of 1280x720.
    var size: Float
    /// Where its box is: from 0, at the left or upper edge, to 1, at the right or lower one.
    var across: Float
    var down: Float
    var isMirrored = false
    /// What brightness is multiplied with.
    var gain: Float = 1
    /// The standard deviation of the noise of a pixel, in codes.
    var noise: Float = 0
    var backdrop = Backdrop.wall
}

/// The woman of the photograph, cut out of it. Pictures are drawn as finders of faces see them: at a quarter of their
/// width and height, the mean of 4x4 pixels each.
struct FaceScene {
    static let size = FrameSize(width: 1280, height: 720)
    private static let width = 320, height = 180
    /// Brightness, chroma, and the share of the woman, four numbers each: the photograph, half of it, a quarter of it.
    private let levels: [Level]
    /// The box of her face in the photograph of 640x360, as mediapipe finds it.
    private static let face = (left: Float(215.8), top: Float(84.7), side: Float(128.2))

    private struct Level {
        var width: Int
        var height: Int
        var numbers: [Float]

        /// Means of 2x2.
        var half: Level {
            var half = Level(width: width / 2, height: height / 2, numbers: [])
            half.numbers.reserveCapacity(4 * half.width * half.height)
            for y in 0..<half.height {
                for x in 0..<half.width {
                    for lane in 0..<4 {
                        let place = 4 * (2 * y * width + 2 * x) + lane, below = place + 4 * width
                        half.numbers.append(
                            (numbers[place] + numbers[place + 4] + numbers[below] + numbers[below + 4]) / 4)
                    }
                }
            }
            return half
        }
    }

    /// Cuts her out of the photograph, by the net that knows people.
    init(_ nets: Nets, _ kind: PictureKind) throws {
        let codes = try TestPicture.astronaut.planes()
        let map = QuadMap(Self.size), planes = PicturePlanes(Self.size)
        planes.fill(codes)
        planes.gather(into: map, kind.kernels)
        let matte = try PersonMatte(nets, of: kind)
        guard matte.look(at: map) else { throw NetError.failed(NetModel.matte.rawValue) }
        var shares = [Float](repeating: 0, count: Self.width * Self.height)
        shares.withUnsafeMutableBufferPointer { shares in
            for y in 0..<Self.height { matte.draw(row: y, of: map, into: shares.baseAddress! + Self.width * y) }
        }
        // Each pixel of the photograph is four of the picture, and two by two of them are a sample of chroma.
        var level = Level(width: 640, height: 360, numbers: [])
        level.numbers.reserveCapacity(4 * 640 * 360)
        let cb = Self.size.area, cr = cb + Self.size.area / 4
        for y in 0..<360 {
            for x in 0..<640 {
                level.numbers.append(Float(codes[2 * y * Self.size.width + 2 * x]))
                level.numbers.append(Float(codes[cb + 640 * y + x]))
                level.numbers.append(Float(codes[cr + 640 * y + x]))
                level.numbers.append(shares[Self.width * (y / 2) + x / 2])
            }
        }
        let half = level.half
        levels = [level, half, half.half]
    }

    /// Draws a picture with a face into `map`, and returns where that is.
    func draw(_ plan: FacePlan, into map: QuadMap, _ random: inout SeededRandom) -> Face {
        Self.draw(plan.backdrop, into: map, &random)
        let side = plan.size / 4
        let left = plan.across * (Float(Self.width) - side), top = plan.down * (Float(Self.height) - side)
        // The pixels of the photograph in a cell, and the coarsest level that still has one for each.
        var step = Self.face.side / side
        var number = 0
        while step >= 2, number + 1 < levels.count {
            step /= 2
            number += 1
        }
        let level = levels[number], scale = Float(1 << number)
        level.numbers.withUnsafeBufferPointer { numbers in
            for y in 0..<Self.height {
                let v = (Float(y) + 0.5 - top) * step + Self.face.top / scale - 0.5
                guard v > 0, v < Float(level.height - 1) else { continue }
                for x in 0..<Self.width {
                    let across = Float(x) + 0.5 - left
                    let u = (plan.isMirrored ? side - across : across) * step + Self.face.left / scale - 0.5
                    guard u > 0, u < Float(level.width - 1) else { continue }
                    Self.blend(numbers.baseAddress!, level.width, u, v, into: map.row(y) + 4 * x)
                }
            }
        }
        Self.expose(map, gain: plan.gain, noise: plan.noise, &random)
        return Face(
            origin: PicturePoint(x: left / Float(Self.width), y: top / Float(Self.height)),
            width: side / Float(Self.width), height: side / Float(Self.height), confidence: 1, landmarks: [])
    }

    /// Draws what is at a place of a level over a cell.
    private static func blend(
        _ level: UnsafePointer<Float>, _ width: Int, _ u: Float, _ v: Float, into cell: UnsafeMutablePointer<Float>
    ) {
        let x = Int(u), y = Int(v), fx = u - Float(x), fy = v - Float(y)
        let upper = level + 4 * (width * y + x), lower = upper + 4 * width
        func mean(_ lane: Int) -> Float {
            let above = upper[lane] + (upper[lane + 4] - upper[lane]) * fx
            let below = lower[lane] + (lower[lane + 4] - lower[lane]) * fx
            return above + (below - above) * fy
        }
        let share = mean(3)
        guard share > 0 else { return }
        for lane in 0..<3 { cell[lane] += (mean(lane) - cell[lane]) * share }
    }

    /// Draws a background without anybody.
    static func draw(_ plan: FacePlan, alone map: QuadMap, _ random: inout SeededRandom) {
        draw(plan.backdrop, into: map, &random)
        expose(map, gain: plan.gain, noise: plan.noise, &random)
    }

    /// Makes a picture as bright as it is to be, with noise.
    private static func expose(_ map: QuadMap, gain: Float, noise: Float, _ random: inout SeededRandom) {
        // Four numbers from 0 to 65535 have a standard deviation of 37837 in a sum. A cell is the mean of 16 pixels.
        let scale = noise / 4 / 37837
        for y in 0..<height {
            let row = map.row(y)
            for x in 0..<width {
                var value = row[4 * x] * gain
                if scale > 0 {
                    let bits = random.next()
                    let sum = (bits & 65535) + (bits >> 16 & 65535) + (bits >> 32 & 65535) + bits >> 48
                    value += (Float(sum) - 131070) * scale
                }
                row[4 * x] = min(max(value, 0), 255)
                for lane in 1..<3 { row[4 * x + lane] = 128 + (row[4 * x + lane] - 128) * min(gain, 1) }
            }
        }
    }

    // MARK: Backgrounds

    private struct Colour {
        var y, cb, cr: Float

        /// Of a range of brightness.
        init(_ luma: ClosedRange<Float>, _ random: inout SeededRandom) {
            y = .random(in: luma, using: &random)
            cb = .random(in: 108...148, using: &random)
            cr = .random(in: 108...148, using: &random)
        }
    }

    private static func draw(_ backdrop: Backdrop, into map: QuadMap, _ random: inout SeededRandom) {
        switch backdrop {
        case .wall: fill(map, Colour(60...220, &random))
        case .sunset: shade(map, from: Colour(120...240, &random), to: Colour(20...90, &random))
        case .shelf: drawShelf(map, &random)
        case .window:
            fill(map, Colour(30...80, &random))
            let left = Int.random(in: 10...180, using: &random)
            for pane in 0..<2 {
                fill(map, Colour(225...255, &random), left + 55 * pane..<left + 55 * pane + 50, 15..<125)
            }
        case .spots:
            fill(map, Colour(90...170, &random))
            for _ in 0..<30 { drawSpot(map, Colour(20...235, &random), &random) }
        case .weave:
            let colours = [Colour(40...120, &random), Colour(130...220, &random)]
            let cells = Int.random(in: 3...14, using: &random)
            for y in 0..<height {
                for x in 0..<width { set(map.row(y) + 4 * x, colours[(x / cells + y / cells) % 2]) }
            }
        }
    }

    private static func set(_ cell: UnsafeMutablePointer<Float>, _ colour: Colour) {
        cell[0] = colour.y
        cell[1] = colour.cb
        cell[2] = colour.cr
        cell[3] = 0
    }

    private static func fill(
        _ map: QuadMap, _ colour: Colour, _ columns: Range<Int> = 0..<width, _ rows: Range<Int> = 0..<height
    ) {
        for y in rows.clamped(to: 0..<height) {
            let row = map.row(y)
            for x in columns.clamped(to: 0..<width) { set(row + 4 * x, colour) }
        }
    }

    private static func shade(_ map: QuadMap, from upper: Colour, to lower: Colour) {
        for y in 0..<height {
            let share = Float(y) / Float(height)
            var colour = upper
            colour.y += (lower.y - upper.y) * share
            colour.cb += (lower.cb - upper.cb) * share
            colour.cr += (lower.cr - upper.cr) * share
            fill(map, colour, 0..<width, y..<y + 1)
        }
    }

    /// Books of all colours in rows.
    private static func drawShelf(_ map: QuadMap, _ random: inout SeededRandom) {
        fill(map, Colour(30...60, &random))
        for top in stride(from: 4, to: height, by: 44) {
            var left = 0
            while left < width {
                let thick = Int.random(in: 4...14, using: &random), short = Int.random(in: 0...12, using: &random)
                fill(map, Colour(20...230, &random), left..<left + thick, top + short..<top + 40)
                left += thick + 1
            }
        }
    }

    private static func drawSpot(_ map: QuadMap, _ colour: Colour, _ random: inout SeededRandom) {
        let radius = Int.random(in: 5...28, using: &random)
        let x = Int.random(in: 0..<width, using: &random), y = Int.random(in: 0..<height, using: &random)
        for row in max(0, y - radius)..<min(height, y + radius) {
            let half = Int(Float(radius * radius - (row - y) * (row - y)).squareRoot())
            fill(map, colour, x - half..<x + half, row..<row + 1)
        }
    }
}
