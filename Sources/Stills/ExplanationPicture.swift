// SPDX-License-Identifier: MIT
// Shows how many frames contribute to each part of a still.

import Fusion
import LivecapFrames

/// Creates pictures that show what a still is based on: the still in grey, with each region of 16x16 pixels coloured by
/// how many frames' worth of evidence it has, from dark violet for the reference alone to yellow for all frames.
///
/// Where frames that are used elsewhere are missing, white lines say why: slanted ones where most show something else,
/// dots where they barely agree, upright lines where only the colour differs, crossed ones where the still is clipped.
///
/// The legend below shows the colours with the number of frames each stands for, and a numbered column per frame,
/// oldest first. The height of a column is the frame's weight. The reference is white, and a rejected frame is entirely
/// red.
package struct ExplanationPicture: Sendable {
    /// How much a frame contributed.
    package enum Share: Hashable, Sendable {
        /// The reference: the frame of the moment that the still shows.
        case reference
        /// Used with this mean weight over the picture, from 0 to 1.
        case used(weight: Double)
        /// Not used at all.
        case rejected
    }

    /// The share of each of the still's frames, oldest first.
    package let shares: [Share]
    /// The frames' names, usually numbers; empty if unknown.
    package let names: [String]

    /// Creates an explanation of a still made from these frames.
    package init(shares: [Share], names: [String] = []) {
        precondition(names.isEmpty || names.count == shares.count, "a name for each frame")
        self.shares = shares
        self.names = names
    }

    /// The number of frames used in the still.
    private var used: Int { shares.count { $0 != .rejected } }

    /// Encodes the explanation as a PNG file with 8 bits per sample.
    package func encode(_ picture: FusedPicture, metadata: PhotoMetadata? = nil) throws(StillError) -> [UInt8] {
        let width = picture.size.width
        let legend = ExplanationLegend(self, picture.size, hasSigns: picture.refusals.contains { $0 != nil })
        var canvas = Canvas(FrameSize(width: width, height: legend.bottom))
        let all = Float(used)
        for y in 0..<picture.size.height {
            for x in 0..<width {
                let region = y / 16 * picture.regionsAcross + x / 16
                guard picture.refusals[region]?.isMarked(x, y) != true else {
                    canvas.put(x, y, .white)
                    continue
                }
                let frames = picture.evidence[region]
                let color = PaletteColor(share: all > 1 ? (frames - 1) / (all - 1) : 1)
                canvas.put(x, y, color.lit(by: Float(picture.planes[0].samples[y * width + x]) / 65535))
            }
        }
        legend.draw(self, &canvas)
        var described = metadata ?? PhotoMetadata()
        // The still's provenance does not apply to the explanation, and the legend must stay upright.
        (described.provenance, described.orientation) = (nil, .up)
        described.description = "violet: 1 frame, yellow: \(used); below, each frame's weight"
        return try PNGEncoder(depth: .eight).encode(
            rgb24: canvas.pixels, size: canvas.size, .sRGB, metadata: described)
    }
}

extension Refusal {
    /// Whether the sign for this reason covers a pixel.
    fileprivate func isMarked(_ x: Int, _ y: Int) -> Bool {
        switch self {
        case .motion: (x + y) % 8 == 0
        case .noise: x % 8 == 4 && y % 8 == 4
        case .color: x % 8 == 4
        case .clipped: (x + y) % 8 == 0 || (x - y) % 8 == 0
        }
    }
}

extension PaletteColor {
    /// The colour for a share from 0 (dark violet) to 1 (yellow). Brightness rises throughout, so that the scale is
    /// also readable in grey and by the colour-blind.
    init(share: Float) {
        let stops: [(Float, Float, Float)] = [
            (68, 1, 84), (59, 82, 139), (33, 145, 140), (94, 201, 98), (253, 231, 37),
        ]
        let place = min(max(share.isFinite ? share : 0, 0), 1) * Float(stops.count - 1)
        let index = min(Int(place), stops.count - 2)
        let part = place - Float(index)
        func mix(_ a: Float, _ b: Float) -> UInt8 { UInt8((a + part * (b - a)).rounded()) }
        let (low, high) = (stops[index], stops[index + 1])
        self.init(red: mix(low.0, high.0), green: mix(low.1, high.1), blue: mix(low.2, high.2))
    }

    /// The colour scaled by a brightness. It never becomes black or white, where the hue would be lost.
    func lit(by brightness: Float) -> PaletteColor {
        let light = 0.25 + 0.75 * min(max(brightness, 0), 1)
        func part(_ channel: UInt8) -> UInt8 { UInt8((Float(channel) * light).rounded()) }
        return PaletteColor(red: part(red), green: part(green), blue: part(blue))
    }
}
