// SPDX-License-Identifier: MIT
// The quick still: a single frame, denoised with the noise estimated from it.

import LivecapCFusionKernels
import LivecapFrames

/// Makes a still from a single frame: estimates the noise of each plane from the frame alone, then removes the noise
/// and its effect on the mean. It owns its working memory and processes one frame at a time.
final class FrameDenoiser: @unchecked Sendable {
    private let chroma: ChromaGrid
    private let pool: any FusionPool
    private let bias: TileBias
    private let black: BlackTiles
    private let clipping: Clipping
    /// One for Y', and one for both chroma planes.
    private let denoisers: [ResidualDenoiser]
    /// One per plane.
    private let estimators: [SingleFrameNoise]
    private let tiles: [TileMeans]
    private let maps: [NoiseMap]
    private var models: [NoiseModel]

    init(
        _ format: FrameFormat, _ chroma: ChromaGrid, kernels: UnsafePointer<fusion_kernels>, pool: any FusionPool,
        bounds: NoiseBounds
    ) {
        self.chroma = chroma
        self.pool = pool
        let size = format.size
        var shapes = [(size.width, size.height)]
        if chroma != .none { shapes.append((chroma.width(of: size.width), chroma.height(of: size.height))) }
        // Texture in colour alone is rare, so chroma is searched less closely.
        denoisers = shapes.enumerated().map { place, shape in
            ResidualDenoiser(width: shape.0, height: shape.1, isHasty: place > 0, kernels: kernels, pool: pool)
        }
        let planes = chroma == .none ? [shapes[0]] : [shapes[0], shapes[1], shapes[1]]
        estimators = planes.map { _ in SingleFrameNoise(kernels: kernels, bounds: bounds) }
        // Chroma's noise also takes fewer tiles to estimate.
        tiles = planes.enumerated().map { place, plane in
            TileMeans(width: plane.0, height: plane.1, enough: place == 0 ? 4000 : 3000, kernels: kernels)
        }
        maps = planes.map { NoiseMap(width: $0.0, height: $0.1, hasBias: true) }
        models = planes.map { _ in NoiseModel() }
        bias = TileBias(format, chroma, kernels)
        black = BlackTiles(format)
        clipping = Clipping(width: size.width, height: size.height)
    }

    /// The bounds that decided the brightness noise of the last frame.
    var noiseBounds: [NoiseBound] { models[0].decidedBy.list }

    /// Makes a still from `frame`; returns the standard deviation of its brightness noise, in codes.
    func run(_ frame: FusionFrame, into picture: FusedPicture) -> Double {
        estimate(frame)
        bias.measure(frame, models[0], into: maps)
        clipping.measure(frame.planes[0], tiles[0])
        for (place, map) in maps.enumerated() { map.leaveOut(clipping, step: place == 0 ? (1, 1) : chroma.step) }
        for (place, plane) in frame.planes.enumerated() {
            let out = picture.planes[place]
            let source: StripSource =
                frame.fine.isEmpty
                ? .frame(plane) : .merged(.init(samples: frame.fine[place].base, stride: frame.fine[place].stride))
            denoisers[min(place, 1)].run(
                source, noise: maps[place], into: .init(samples: out.samples.baseAddress!, stride: out.width))
        }
        black.measure(frame)
        black.restore(picture, frame, rows: 0..<picture.size.height)
        return Double(models[0].variance(at: Float(frame.brightness)).squareRoot())
    }

    private func estimate(_ frame: FusionFrame) {
        pool.run(models.count) { place in
            let tiles = tiles[place]
            // The level whose samples are means of 8x8 pixels.
            tiles.measure(frame.planes[place], means: frame.levels[2], step: place == 0 ? (1, 1) : chroma.step)
            estimators[place].measure(frame.planes[place], tiles)
        }
        // Chroma has less texture than brightness, but its noise comes from the same sensor.
        let isWhite = estimators.count > 1 && estimators.dropFirst().allSatisfy(\.isWhite)
        for place in models.indices {
            estimators[place].conclude(isWhite: isWhite, into: &models[place])
            maps[place].take(models[place], brightness: tiles[place].brightness)
        }
    }
}
