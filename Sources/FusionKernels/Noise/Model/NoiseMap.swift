// SPDX-License-Identifier: MIT
// The noise of one plane at each place.

/// What is known about the noise in a plane, where different places may have been merged from different numbers of
/// frames: for each tile of 8x8 samples, a variance and a choice of spectrum. The owner writes it before the denoiser
/// reads it.
final class NoiseMap: @unchecked Sendable {
    /// Samples on a side of a tile.
    static let tile = 8
    /// The maximum number of spectra that a plane's tiles choose from.
    static let maxSpectra = 16
    /// Tiles per row; the last one may be cut off.
    let across: Int
    /// Rows of tiles; the last one may be cut off.
    let down: Int
    /// The variance of each tile's samples, in squared codes, row by row.
    let variance: UnsafeMutableBufferPointer<Float>
    /// The index of the spectrum of each tile's noise.
    let choice: UnsafeMutableBufferPointer<UInt8>
    /// How far the mean of each tile's samples is off, in codes; nil if that is not measured.
    let bias: UnsafeMutablePointer<Float>?
    /// The spectra, each as in `NoiseModel`.
    var spectra: [[Float]] = [[Float](repeating: 1, count: NoiseModel.coefficients)]

    init(width: Int, height: Int, hasBias: Bool = false) {
        across = (width + Self.tile - 1) / Self.tile
        down = (height + Self.tile - 1) / Self.tile
        variance = .allocate(capacity: across * down)
        choice = .allocate(capacity: across * down)
        variance.initialize(repeating: 0)
        choice.initialize(repeating: 0)
        bias = hasBias ? .allocate(capacity: across * down) : nil
        bias?.initialize(repeating: 0, count: across * down)
    }

    /// Sets every tile's noise to what a model says for its brightness.
    func take(_ model: NoiseModel, brightness: UnsafeMutableBufferPointer<UInt8>) {
        let (own, brightness) = (variance.baseAddress!, brightness.baseAddress!)
        model.variance.withUnsafeBufferPointer { variance in
            precondition(variance.count == NoiseModel.levels)
            let variance = variance.baseAddress!
            for tile in 0..<across * down { own[tile] = variance[Int(brightness[tile])] }
        }
        choice.update(repeating: 0)
        // Copied element by element: the model then remains the only owner of its arrays, and can be refilled in
        // place.
        for place in model.spectrum.indices { spectra[0][place] = model.spectrum[place] }
    }

    /// Removes the clipped samples' share of the noise, and the bias of every tile that has any. A sample of the
    /// plane covers `step` pixels.
    func leaveOut(_ clipping: Clipping, step: (x: Int, y: Int)) {
        guard clipping.isClipped else { return }
        for y in 0..<down {
            for x in 0..<across {
                let share = clipping.share(x, y, step)
                guard share < 1 else { continue }
                variance[y * across + x] *= share
                bias?[y * across + x] = 0
            }
        }
    }

    deinit {
        variance.deallocate()
        choice.deallocate()
        bias?.deallocate()
    }
}
