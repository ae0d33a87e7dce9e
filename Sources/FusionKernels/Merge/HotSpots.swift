// SPDX-License-Identifier: MIT
// Bright dots that stay where they are on the sensor while the picture moves.

/// Finds a sensor's hot pixels, and takes them out of a merged picture.
///
/// A camera spreads a hot pixel into a dot when it interpolates colours. In one frame, and while the camera stands
/// still, such a dot looks like part of the scene. Frames that moved show it at the same place on the sensor, and show
/// what is behind it elsewhere. They therefore disagree with the reference there, so merging keeps the dot, which
/// stands out more as its surroundings become cleaner.
final class HotSpots: @unchecked Sendable {
    /// A dot is brighter than everything at this distance from its middle, in samples: `reach` across, down, or both.
    private static let reach = 2
    /// How much brighter: in standard deviations of the noise, and within these limits in codes.
    private static let deviations: Float = 6, contrasts: ClosedRange<Float> = 12...60
    /// How far a frame's picture must have moved, in samples, to show what is behind the dot.
    private static let aside: Float = 2
    /// How many frames must have moved so.
    private static let fewestMoved = 2
    /// The radius in samples around its middle in which a dot is replaced, and in which it is wholly replaced.
    private static let radius = 2, core = 1
    /// How far other frames' samples must lie from their own dot, in pixels: `clear` if any frame has one that far
    /// away, else `close`.
    private static let clear: Float = 2, close: Float = 1
    /// The most that are taken out of a still. What lies further down stays.
    private static let capacity = 4096

    private let dots = Scratch<SIMD2<Int32>>(capacity, filledWith: .zero)
    /// For each row of the reference, whether there may be a dot.
    private let mayHaveDot: Scratch<Bool>
    /// How much brighter than its surroundings a dot is, in codes.
    private var contrast: UInt8 = 0
    /// How many were taken out.
    private(set) var count = 0

    init(height: Int) { mayHaveDot = Scratch(height, filledWith: false) }

    /// Another frame, and the motion of the whole picture to it. (Local motion would follow the dot.)
    typealias Other = (frame: FusionFrame, motion: AffineMotion)

    /// Prepares for a burst. Returns whether dots can be told from what the scene has: only if the picture moved.
    func begin(_ reference: FusionFrame, _ others: [Other], noise: NoiseModel) -> Bool {
        count = 0
        let plane = reference.planes[0]
        let middle = (Float(plane.width) / 2, Float(plane.height) / 2)
        guard others.count(where: { $0.motion.isAside(middle.0, middle.1, Self.aside) }) >= Self.fewestMoved else {
            return false
        }
        let deviation = noise.variance(at: Float(reference.brightness)).squareRoot()
        contrast = UInt8(min(max(Self.deviations * deviation, Self.contrasts.lowerBound), Self.contrasts.upperBound))
        return true
    }

    /// Looks for what is brighter than its surroundings in a row of the reference. Several threads may look at
    /// different ones.
    func look(_ plane: SamplePlane, row y: Int) {
        mayHaveDot[y] = false
        guard rows(of: plane).contains(y) else { return }
        let row = UnsafeRawPointer(plane.row(y)), stride = plane.stride, least = SIMD16(repeating: contrast)
        var marks = SIMD16<UInt8>.zero, x = Self.reach
        while x < plane.width - Self.reach {
            marks |= Self.bright(row + x, stride, least)
            x += 16
        }
        mayHaveDot[y] = marks != .zero
    }

    /// Takes the reference's dots out of the merged planes, once all of its rows were looked at. `step` is how many
    /// pixels a sample of chroma covers.
    func remove(from merged: [MergedPlane], reference: FusionFrame, others: [Other], step: (x: Int, y: Int)) {
        let plane = reference.planes[0]
        find(plane, others)
        var removed = 0
        for place in 0..<count {
            let (x, y) = (Int(dots[place].x), Int(dots[place].y))
            /// A bit for each frame that knows what is behind the dot.
            var witnesses: UInt16 = 0
            for index in others.indices where shows(others[index], x: x, y: y, own: plane, contrast: contrast) {
                witnesses |= 1 << index
            }
            guard witnesses != 0 else { continue }
            removed += 1
            replace(x: x, y: y, planes: merged, place: 0, others: others, witnesses: witnesses, step: (1, 1))
            for chroma in 1..<max(1, merged.count) {
                replace(
                    x: x / step.x, y: y / step.y, planes: merged, place: chroma, others: others, witnesses: witnesses,
                    step: step)
            }
        }
        count = removed
    }

    private func rows(of plane: SamplePlane) -> Range<Int> {
        Self.reach..<max(Self.reach, plane.height - Self.reach)
    }

    /// Marks those of 16 samples that are brighter than their surroundings, with a byte of 1 each.
    @inline(__always) private static func bright(
        _ at: UnsafeRawPointer, _ stride: Int, _ least: SIMD16<UInt8>
    ) -> SIMD16<UInt8> {
        // The last ones of a row reach into the margin, which repeats the edge.
        let own = at.samples(0)
        let most = at.brightest(-reach * stride, reach).larger(at.brightest(reach * stride, reach))
            .larger(at.samples(-reach)).larger(at.samples(reach))
        let isDot = (own .> most) .& ((own &- most) .>= least)
        return SIMD16<UInt8>.zero.replacing(with: 1, where: isDot)
    }

    /// Finds hot pixels among what is brighter than its surroundings.
    private func find(_ plane: SamplePlane, _ others: [Other]) {
        let reach = Self.reach, least = SIMD16(repeating: contrast)
        for y in rows(of: plane) where mayHaveDot[y] {
            let row = UnsafeRawPointer(plane.row(y))
            for x in Swift.stride(from: reach, to: plane.width - reach, by: 16) {
                let marks = Self.bright(row + x, plane.stride, least)
                guard unsafeBitCast(marks, to: SIMD2<UInt64>.self) != .zero else { continue }
                for lane in 0..<min(16, plane.width - reach - x) where marks[lane] > 0 {
                    guard count < Self.capacity else { return }
                    // Only the middle of a dot, the brightest of its 3x3 samples; the first of equal ones.
                    guard isPeak(plane, x + lane, y), isHot(x: x + lane, y: y, own: plane, others: others) else {
                        continue
                    }
                    dots[count] = SIMD2(Int32(x + lane), Int32(y))
                    count += 1
                }
            }
        }
    }

    private func isPeak(_ plane: SamplePlane, _ x: Int, _ y: Int) -> Bool {
        let own = plane.row(y)[x]
        for v in -1...1 {
            for u in -1...1 where (u, v) != (0, 0) {
                let other = plane.row(y + v)[x + u]
                if other > own || other == own && (v < 0 || v == 0 && u < 0) { return false }
            }
        }
        return true
    }

    /// How far the highest sample within `slack` of a place is above everything around that place, in codes; negative
    /// if it is not.
    private func height(_ plane: SamplePlane, _ x: Int, _ y: Int, slack: Int) -> Int {
        let reach = Self.reach
        guard (reach..<plane.width - reach).contains(x), (reach..<plane.height - reach).contains(y) else { return 0 }
        var (own, most) = (0, 0)
        for v in -slack...slack { for u in -slack...slack { own = max(own, Int(plane.row(y + v)[x + u])) } }
        for v in Swift.stride(from: -reach, through: reach, by: reach) {
            for u in Swift.stride(from: -reach, through: reach, by: reach) where (u, v) != (0, 0) {
                most = max(most, Int(plane.row(y + v)[x + u]))
            }
        }
        return own - most
    }

    /// Whether most frames show the dot where the reference has it on the sensor, and hardly any of those that moved
    /// show it where the reference has it in the picture.
    private func isHot(x: Int, y: Int, own: SamplePlane, others: [Other]) -> Bool {
        let least = height(own, x, y, slack: 0) / 2
        var (moved, stayed, wentAlong) = (0, 0, 0)
        for other in others {
            let plane = other.frame.planes[0]
            if height(plane, x, y, slack: 0) >= least { stayed += 1 }
            let motion = other.motion.at(Float(x), Float(y))
            guard other.motion.isAside(Float(x), Float(y), Self.aside) else { continue }
            let (u, v) = (Float(x) + motion.x, Float(y) + motion.y)
            guard plane.contains(u, v, inset: Self.reach) else { continue }
            moved += 1
            if height(plane, Int(u.rounded()), Int(v.rounded()), slack: 1) >= least { wentAlong += 1 }
        }
        // Something bright may pass, in one place or the other.
        return moved >= Self.fewestMoved && 2 * stayed >= others.count && 4 * wentAlong <= moved
    }

    /// Whether a frame shows the surroundings of a dot as the reference does, so that it knows what is behind it.
    private func shows(_ other: Other, x: Int, y: Int, own: SamplePlane, contrast: UInt8) -> Bool {
        let reach = Self.reach + 1, plane = other.frame.planes[0], motion = other.motion.at(Float(x), Float(y))
        guard plane.contains(Float(x) + motion.x, Float(y) + motion.y, inset: reach) else { return false }
        var difference: Float = 0
        for v in Swift.stride(from: -reach, through: reach, by: reach) {
            for u in Swift.stride(from: -reach, through: reach, by: reach) where (u, v) != (0, 0) {
                let (left, top) = (min(max(x + u, 0), own.width - 1), min(max(y + v, 0), own.height - 1))
                difference += abs(
                    plane.between(Float(x + u) + motion.x, Float(y + v) + motion.y) - Float(own.row(top)[left]))
            }
        }
        return difference / 8 < Float(contrast)
    }

    /// Replaces a dot in plane `place` by the mean of the frames that show what is behind it.
    private func replace(
        x: Int, y: Int, planes: [MergedPlane], place: Int, others: [Other], witnesses: UInt16,
        step: (x: Int, y: Int)
    ) {
        let merged = planes[place]
        let (width, height) = ((Self.radius + step.x - 1) / step.x, (Self.radius + step.y - 1) / step.y)
        for v in max(0, y - height)...min(merged.height - 1, y + height) {
            for u in max(0, x - width)...min(merged.width - 1, x + width) {
                var clear: (sum: Float, frames: Float) = (0, 0), close = clear
                for index in others.indices where witnesses & 1 << index != 0 {
                    let motion = others[index].motion.inPlane(step.x, step.y).at(Float(u), Float(v))
                    let (across, down) = (Float(u) + motion.x, Float(v) + motion.y)
                    let away = max(
                        abs(across - Float(x)) * Float(step.x), abs(down - Float(y)) * Float(step.y))
                    guard away >= Self.close else { continue }
                    let sample = others[index].frame.planes[place].between(across, down)
                    close = (close.sum + sample, close.frames + 1)
                    if away >= Self.clear { clear = (clear.sum + sample, clear.frames + 1) }
                }
                let (sum, frames) = clear.frames > 0 ? clear : close
                guard frames > 0 else { continue }
                let isCore = abs(u - x) * step.x <= Self.core && abs(v - y) * step.y <= Self.core
                let share: Float = isCore ? 1 : 0.5
                let row = merged.row(v)
                row[u] = Int16((Float(row[u]) * (1 - share) + 64 * sum / frames * share).rounded())
            }
        }
    }
}

extension UnsafeRawPointer {
    @inline(__always) fileprivate func samples(_ offset: Int) -> SIMD16<UInt8> {
        (self + offset).loadUnaligned(as: SIMD16<UInt8>.self)
    }

    /// The brightest of three samples in a row, `reach` apart, around each of those at an offset.
    @inline(__always) fileprivate func brightest(_ offset: Int, _ reach: Int) -> SIMD16<UInt8> {
        samples(offset - reach).larger(samples(offset)).larger(samples(offset + reach))
    }
}

extension SIMD16<UInt8> {
    /// `pointwiseMax`, of which the compiler makes a loop.
    @inline(__always) fileprivate func larger(_ other: Self) -> Self { replacing(with: other, where: other .> self) }
}

extension SamplePlane {
    /// Whether a place lies in the plane, and at least so far from its edges.
    fileprivate func contains(_ x: Float, _ y: Float, inset: Int) -> Bool {
        x >= Float(inset) && y >= Float(inset) && x < Float(width - inset) && y < Float(height - inset)
    }

    /// The sample at a place, on straight lines between the nearest ones; outside the plane, that of its edge.
    fileprivate func between(_ x: Float, _ y: Float) -> Float {
        let (x, y) = (min(max(x, 0), Float(width - 1)), min(max(y, 0), Float(height - 1)))
        let (left, top) = (Int(x), Int(y)), (right, low) = (min(left + 1, width - 1), min(top + 1, height - 1))
        let (across, down) = (x - Float(left), y - Float(top))
        func mix(_ row: UnsafeMutablePointer<UInt8>) -> Float {
            Float(row[left]) * (1 - across) + Float(row[right]) * across
        }
        return mix(row(top)) * (1 - down) + mix(row(low)) * down
    }
}

extension AffineMotion {
    /// Whether a place moves by at least `least` samples across or down.
    fileprivate func isAside(_ x: Float, _ y: Float, _ least: Float) -> Bool {
        let motion = at(x, y)
        return max(abs(motion.x), abs(motion.y)) >= least
    }
}
