// SPDX-License-Identifier: MIT
// The quick still: one frame, and what it says of its own noise.

import CFusionKernels
import Frames

/// Makes a still of a single frame: estimates the noise of each of its planes from the frame alone, and takes it out. It
/// owns the memory it works in; one frame at a time.
final class FrameDenoiser {
    private let chroma: ChromaGrid
    private let estimator: SingleFrameNoise
    private let denoisers: [ResidualDenoiser]
    private let tiles: [TileMeans]
    private let maps: [NoiseMap]
    private var models: [NoiseModel]

    init(
        _ size: FrameSize, _ chroma: ChromaGrid, kernels: UnsafePointer<fusion_kernels>, pool: any FusionPool
    ) {
        self.chroma = chroma
        var shapes = [(size.width, size.height)]
        if chroma != .none { shapes.append((chroma.width(of: size.width), chroma.height(of: size.height))) }
        estimator = SingleFrameNoise(kernels: kernels)
        denoisers = shapes.map { ResidualDenoiser(width: $0.0, height: $0.1, kernels: kernels, pool: pool) }
        tiles = shapes.map { TileMeans(width: $0.0, height: $0.1, kernels: kernels) }
        models = shapes.map { _ in NoiseModel() }
        maps = shapes.map { NoiseMap(width: $0.0, height: $0.1) }
    }

    /// Makes a still of `frame`; returns the standard deviation of the noise of its tiles' brightness, in codes.
    func run(_ frame: FusionFrame, into picture: FusedPicture) -> Double {
        tiles[0].measure(frame.planes[0])
        denoise(frame.planes[0], of: 0, into: picture.planes[0])
        let variance = maps[0].variance.reduce(0, +) / Float(maps[0].variance.count)
        for index in frame.planes.indices.dropFirst() {
            tiles[1].measure(frame.planes[index])
            tiles[1].takeBrightness(of: tiles[0], tilesAcross: 2, tilesDown: chroma == .quads ? 2 : 1)
            denoise(frame.planes[index], of: 1, into: picture.planes[index])
        }
        return Double(variance).squareRoot()
    }

    private func denoise(_ plane: SamplePlane, of kind: Int, into target: FusedPicture.Plane) {
        estimator.estimate(plane, tiles[kind], into: &models[kind])
        maps[kind].take(models[kind], brightness: tiles[kind].brightness)
        denoisers[kind].run(
            .frame(plane), noise: maps[kind],
            into: .init(samples: target.samples.baseAddress!, stride: target.width))
    }
}
