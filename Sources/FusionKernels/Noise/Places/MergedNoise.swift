// SPDX-License-Identifier: MIT
// The noise that remains where frames were merged.

/// Describes the noise of a merged plane. The more frames contribute, the less noise remains, and the less of it at
/// high frequencies, which interpolation reduces.
final class MergedNoise: @unchecked Sendable {
    /// For 1 to 16 frames' worth of evidence, the variance relative to that of a single frame.
    private var factors = [Float](repeating: 1, count: NoiseMap.maxSpectra)
    private let interpolationResponse = InterpolationResponse()
    /// For each place of a slope map, how much stronger noise usually is.
    private let slopeFactors = Scratch<Float>(SlopeMap.placeCount, filledWith: 1)

    /// Writes the noise of a plane whose cells were merged along `fields`. `places` knows where noise is stronger.
    func describe(
        _ noise: KnownNoise, places: PlaceNoise, of plane: MergedPlane, mergedBy fields: ArraySlice<MotionField>,
        into map: NoiseMap
    ) {
        update(noise.model.spectrum, fields, map)
        let usual = slopeFactors.base
        noise.model.writeSlopeFactors(to: usual)
        // Half of the edges have no more than the roots of the factors.
        for place in 0..<SlopeMap.placeCount { usual[place] = usual[place].squareRoot() }
        let slopes = noise.model.dependsOnSlopes ? noise.slopes : nil
        let (brightness, step, across) = (noise.brightness.view, noise.step, map.across)
        let (evidence, full) = (plane.evidence.base, Float(Merger.fullWeight))
        let (choices, variances) = (map.choice.baseAddress!, map.variance.baseAddress!)
        factors.withUnsafeBufferPointer { factors in
            noise.model.variance.withUnsafeBufferPointer { variance in
                for y in 0..<map.down {
                    let rows = min(8, plane.height - 8 * y), first = y * across
                    let codes = brightness.row(min(y * step.y, brightness.height - 1))
                    for x in 0..<across {
                        let pairs = (min(8, plane.width - 8 * x) + 1) / 2 * rows
                        let frames = 1 + Float(evidence[first + x]) / (full * Float(Int32(truncatingIfNeeded: pairs)))
                        let choice = Int(max(0, min(Int32(NoiseMap.maxSpectra - 1), Int32(frames + 0.5) - 1)))
                        // Levels are in Q4, and never brighter than white, so this index is at most 255.
                        let own = variance[Int(codes[min(x * step.x, brightness.width - 1)] >> 4)]
                        let share = noise.noisyShare(x, y)
                        choices[first + x] = UInt8(truncatingIfNeeded: choice)
                        var steep = slopes?.mean(of: usual, x, y, step) ?? 1
                        if places.dependsOnPlace, share == 1 { steep = max(steep, places.factors.base[first + x]) }
                        variances[first + x] = share * own * steep * factors[choice] * Float(choice + 1) / frames
                    }
                }
            }
        }
    }

    private func update(_ spectrum: [Float], _ fields: ArraySlice<MotionField>, _ map: NoiseMap) {
        var kept = InlineArray<8, SIMD8<Float>>(repeating: .zero)
        var count: Float = 0
        for field in fields {
            let cells = field.across * field.down, (share, motion) = (field.share.base, field.motion.base)
            // Some of each frame's cells are enough to know the fractions of the motion.
            for cell in stride(from: 0, to: cells, by: max(1, cells / 37)) where share[cell] > 0 {
                let across = interpolationResponse.along(Int(motion[2 * cell])),
                    down = interpolationResponse.along(Int(motion[2 * cell + 1]))
                for v in 0..<8 { kept[v] += across * down[v] }
                count += 1
            }
        }
        spectrum.withUnsafeBytes { spectrum in
            for n in 1...NoiseMap.maxSpectra {
                map.spectra[n - 1].withUnsafeMutableBufferPointer { merged in
                    var mean: Float = 0
                    for v in 0..<8 {
                        let place = v * MemoryLayout<SIMD8<Float>>.size
                        let own = spectrum.loadUnaligned(fromByteOffset: place, as: SIMD8<Float>.self)
                        let others = count > 0 ? kept[v] / count : SIMD8(repeating: 1)
                        let all = own * (1 + Float(n - 1) * others) / Float(n * n)
                        for u in 0..<8 {
                            merged[8 * v + u] = all[u]
                            mean += all[u]
                        }
                    }
                    mean /= 64
                    factors[n - 1] = mean
                    for index in merged.indices { merged[index] /= mean }
                }
            }
        }
    }
}
