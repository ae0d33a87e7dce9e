// SPDX-License-Identifier: MIT
// Every case there is.

extension KernelCase {
    /// One for each member of `fusion_kernels`.
    package static let all: [KernelCase] = [
        splitPacked422, splitPairs,
        tileMoments, tilePowers,
        addRow, meanRow,
        widenRow, quotientRow, narrowRow, quarterRow, textureSum, textureFloors, patchesLike8, patchesLike5,
        collaborate, collaborateAgain,
        denoiseStrip, denoiseStripBytes, denoiseActivity, denoiseGains, denoiseShrink, denoiseUnstrip,
    ]
}
