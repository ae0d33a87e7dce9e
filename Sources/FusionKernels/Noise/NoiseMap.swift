// SPDX-License-Identifier: MIT
// The noise of one plane, place by place.

/// What is known of the noise in a plane that may have been merged of more frames here than there: a variance for each
/// tile of 8x8 samples, and which spectrum it has. The owner writes it before the denoiser reads it.
final class NoiseMap: @unchecked Sendable {
    /// Samples a tile spans across and down.
    static let tile = 8
    /// The most spectra a plane's tiles choose from.
    static let mostSpectra = 16
    /// Tiles a row; the last one may be cut.
    let across: Int
    /// Rows of tiles; the last one may be cut.
    let down: Int
    /// The variance of each tile's samples in squared codes, row by row.
    let variance: UnsafeMutableBufferPointer<Float>
    /// Which of the spectra each tile's noise has.
    let choice: UnsafeMutableBufferPointer<UInt8>
    /// By how much the mean of each tile's samples is off, in codes, where that is known.
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

    /// Makes every tile's noise what a model says of its brightness.
    func take(_ model: NoiseModel, brightness: UnsafeMutableBufferPointer<UInt8>) {
        let (own, brightness) = (variance.baseAddress!, brightness.baseAddress!)
        model.variance.withUnsafeBufferPointer { variance in
            precondition(variance.count == NoiseModel.levels)
            let variance = variance.baseAddress!
            for tile in 0..<across * down { own[tile] = variance[Int(brightness[tile])] }
        }
        choice.update(repeating: 0)
        // Number by number: the model stays the only owner of its lists, and is filled in again in place.
        for place in model.spectrum.indices { spectra[0][place] = model.spectrum[place] }
    }

    /// Leaves no noise where the frame is clipped, nor bias. A sample of the plane serves `step` pixels.
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
