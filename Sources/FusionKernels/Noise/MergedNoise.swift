// SPDX-License-Identifier: MIT
// What is left of the noise where frames were merged.

import Glibc

/// The noise of a merged plane: less of it the more frames went in, and less of the high frequencies, which reading
/// between samples takes away.
final class MergedNoise: @unchecked Sendable {
    /// For 1 to 16 frames' worth of evidence: the variance relative to a frame's.
    private var factors = [Float](repeating: 1, count: NoiseMap.mostSpectra)
    private var kept = [Float](repeating: 1, count: NoiseModel.coefficients)
    /// The merge's filter (Kernels/Warp.h) for eighths of a sample.
    private static let taps: [[Double]] = [
        [0, 64, 0, 0], [-4, 63, 6, -1], [-5, 56, 15, -2], [-5, 47, 25, -3], [-4, 36, 36, -4], [-3, 25, 47, -5],
        [-2, 15, 56, -5], [-1, 6, 63, -4],
    ]
    /// How much noise power each frequency of a block keeps when read at each eighth of a sample.
    private let keptAt: [[Float]] = (0..<8).map { phase in
        let taps = MergedNoise.taps[phase].map { $0 / 64 }
        return (0..<8).map { frequency in
            let angle = Double(frequency) * .pi / 8
            var (real, imaginary) = (0.0, 0.0)
            for (place, tap) in taps.enumerated() {
                real += tap * cos(angle * Double(place))
                imaginary += tap * sin(angle * Double(place))
            }
            return Float(real * real + imaginary * imaginary)
        }
    }

    /// Writes the noise of a plane that was merged by `fields`: `evidence` is the sum over each tile of 8x8 samples, by pairs, of
    /// the other frames' weights, `full` what a pair of one frame weighs, `brightness` a level of the pyramid with a
    /// sample for so many tiles.
    func describe(
        _ model: NoiseModel, _ fields: ArraySlice<MotionField>, evidence: Scratch<UInt32>, full: Float,
        brightness: LevelPlane, _ clipping: Clipping,
        step: (x: Int, y: Int), size: (width: Int, height: Int), into map: NoiseMap
    ) {
        update(model.spectrum, fields, map)
        let (brightness, across, isClipped) = (brightness.view, map.across, clipping.isClipped)
        let (evidence, choices, variances) = (evidence.base, map.choice.baseAddress!, map.variance.baseAddress!)
        factors.withUnsafeBufferPointer { factors in
            model.variance.withUnsafeBufferPointer { variance in
                for y in 0..<map.down {
                    let rows = min(8, size.height - 8 * y), first = y * across
                    for x in 0..<across {
                        let pairs = (min(8, size.width - 8 * x) + 1) / 2 * rows
                        let frames = 1 + Float(evidence[first + x]) / (full * Float(pairs))
                        let choice = max(0, min(NoiseMap.mostSpectra - 1, frames.nearest - 1))
                        // Levels hold no more than white does.
                        let own = variance[Int(brightness.code(x * step.x, y * step.y))]
                        let share = isClipped ? clipping.share(x, y, step) : 1
                        choices[first + x] = UInt8(truncatingIfNeeded: choice)
                        variances[first + x] = share * own * factors[choice] * Float(choice + 1) / frames
                    }
                }
            }
        }
    }

    private func update(_ spectrum: [Float], _ fields: ArraySlice<MotionField>, _ map: NoiseMap) {
        for index in kept.indices { kept[index] = 0 }
        var count: Float = 0
        for field in fields {
            let cells = field.across * field.down
            // Some cells of each frame tell what the motion's fractions are.
            for cell in stride(from: 0, to: cells, by: max(1, cells / 37)) where field.share[cell] > 0 {
                let across = keptAt[Int(field.motion[2 * cell]) & 7], down = keptAt[Int(field.motion[2 * cell + 1]) & 7]
                for v in 0..<8 { for u in 0..<8 { kept[8 * v + u] += across[u] * down[v] } }
                count += 1
            }
        }
        for n in 1...NoiseMap.mostSpectra {
            var mean: Float = 0
            for index in 0..<64 {
                let others = count > 0 ? kept[index] / count : 1
                map.spectra[n - 1][index] = spectrum[index] * (1 + Float(n - 1) * others) / Float(n * n)
                mean += map.spectra[n - 1][index]
            }
            factors[n - 1] = mean / 64
            for index in 0..<64 { map.spectra[n - 1][index] /= mean / 64 }
        }
    }
}
