// SPDX-License-Identifier: MIT
// By how much noise is stronger where a picture is steep, found from two frames of a camera that stands still.

/// Finds the factors of slopes from blocks of 4x4 samples, for each place on the scale of slopes. It owns its working
/// memory.
final class SlopeFactors {
    /// About how many squares are looked at.
    private static let steepSquares = 200
    /// The number of blocks from which a factor is found, and the most that are kept for one.
    private static let fewestBlocks = 24, mostBlocks = 512
    /// For each place on the scale of slopes, how much stronger than expected noise is in some blocks; and how many.
    private let ratios = Scratch<Float>(NoiseModel.slopeSteps * mostBlocks, filledWith: 0)
    private let counts = Scratch<Int>(NoiseModel.slopeSteps, filledWith: 0)
    /// The bounds in force.
    private let bounds: NoiseBounds

    init(_ bounds: NoiseBounds) { self.bounds = bounds }

    /// Finds by how much noise is stronger at slopes than in flat places of the same brightness, which `model` has.
    /// If the camera moved, edges would differ by more than noise, and slopes are assumed to make no difference.
    func find(_ pair: PlanePair, _ squares: BurstSquares, model: inout NoiseModel) {
        for place in 0..<NoiseModel.slopeSteps { (model.slopeFactors[place], counts[place]) = (1, 0) }
        guard pair.motion.isStill else { return }
        for index in stride(from: 0, to: squares.count, by: max(1, squares.count / Self.steepSquares)) {
            let square = squares[index]
            guard square.phase == 0 else { continue }
            compare(square, squares, pair, noise: model.variance(at: square.brightness))
        }
        for place in 1..<NoiseModel.slopeSteps {
            let factor = factor(
                UnsafeMutableBufferPointer(start: ratios.base + place * Self.mostBlocks, count: counts[place]))
            model.slopeFactors[place] = factor?.value ?? model.slopeFactors[place - 1]
            factor?.decidedBy.map { model.decidedBy.insert($0) }
        }
    }

    /// Notes how much each block of a square differs.
    private func compare(_ square: BurstSquares.Square, _ squares: BurstSquares, _ pair: PlanePair, noise: Float) {
        let light = squares.light(of: square, pair, noise: noise), half = pair.frame.levels[0].view, step = pair.step
        for y in stride(from: Int(square.y), to: Int(square.y) + MovedSquare.side, by: SlopeMap.block) {
            for x in stride(from: Int(square.x), to: Int(square.x) + MovedSquare.side, by: SlopeMap.block) {
                let steepest = SlopeMap.most(half, x: x * step.x, y: y * step.y, step: step)
                let place = (steepest + SlopeMap.steps / 2) / SlopeMap.steps
                guard counts[place] < Self.mostBlocks else { continue }
                ratios[place * Self.mostBlocks + counts[place]] =
                    squares.difference(of: square, pair, x: x, y: y, light: light) / (2 * noise)
                counts[place] += 1
            }
        }
    }

    /// The factor that follows from how much stronger noise is in some blocks. Nil if there are too few.
    private func factor(_ ratios: UnsafeMutableBufferPointer<Float>) -> BoundedEstimate? {
        guard ratios.count >= Self.fewestBlocks else { return nil }
        var ratios = ratios
        ratios.sort()
        let (low, middle, high) = (ratios[ratios.count / 4], ratios[ratios.count / 2], ratios[ratios.count * 7 / 8])
        var factor = BoundedEstimate(max(1, high))
        let most = min(NoiseLimit.slopeQuantiles.median * middle, NoiseLimit.slopeQuantiles.quartile * low)
        factor.limit(to: max(1, most), by: .slopeQuantiles, of: bounds)
        return factor
    }
}
