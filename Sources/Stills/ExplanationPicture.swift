// SPDX-License-Identifier: MIT
// How much of how many frames is in each part of a still, as a picture.

import Frames
import FusionKernels

/// Makes pictures that show what a still rests on: the still in grey, coloured by how many frames' worth of evidence each
/// region of 16x16 pixels has, from dark violet for the reference alone to yellow for all of them.
///
/// Below it the legend: the colours with the number of frames each stands for, and a column per frame, oldest first, with its
/// number. A column is as high as the frame's weight: white is the reference's, a frame that was left out is red all over.
public struct ExplanationPicture: Sendable {
    /// What became of a frame.
    public enum Share: Hashable, Sendable {
        /// The one whose moment the still shows.
        case reference
        /// Its mean weight over the picture, from 0 to 1.
        case used(weight: Double)
        /// Nothing of it was taken.
        case rejected
    }

    /// One of each of the still's frames, oldest first.
    public let shares: [Share]
    /// Their numbers, as text; empty where nothing is known of them.
    public let names: [String]

    /// An explanation of a still made of these frames.
    public init(shares: [Share], names: [String] = []) {
        precondition(names.isEmpty || names.count == shares.count, "a name for each frame")
        (self.shares, self.names) = (shares, names)
    }

    /// How many frames are in the still.
    private var used: Int { shares.count { $0 != .rejected } }

    /// As a PNG file of 8 bits a sample.
    public func encode(_ picture: FusedPicture, metadata: PhotoMetadata? = nil) throws(StillError) -> [UInt8] {
        let width = picture.size.width
        let legend = ExplanationLegend(self, picture.size)
        var canvas = Canvas(FrameSize(width: width, height: legend.bottom))
        let all = Float(used)
        for y in 0..<picture.size.height {
            for x in 0..<width {
                let frames = picture.evidence[y / 16 * picture.regionsAcross + x / 16]
                let color = PaletteColor(share: all > 1 ? (frames - 1) / (all - 1) : 1)
                canvas.put(x, y, color.lit(by: Float(picture.planes[0].samples[y * width + x]) / 65535))
            }
        }
        legend.draw(self, &canvas)
        var described = metadata ?? PhotoMetadata()
        // The still's own account is the still's, and it is read from left to right.
        (described.provenance, described.orientation) = (nil, .up)
        described.description = "violet: 1 frame, yellow: \(used); below, each frame's weight"
        return try PNGEncoder(depth: .eight).encode(
            rgb24: canvas.pixels, size: canvas.size, .sRGB, metadata: described)
    }
}

extension PaletteColor {
    /// From 0, dark violet, to 1, yellow: ever lighter, so that it can be read in grey and by the colour-blind.
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

    /// The colour of a brightness: never quite black or white, where there would be none.
    func lit(by brightness: Float) -> PaletteColor {
        let light = 0.25 + 0.75 * min(max(brightness, 0), 1)
        func part(_ channel: UInt8) -> UInt8 { UInt8((Float(channel) * light).rounded()) }
        return PaletteColor(red: part(red), green: part(green), blue: part(blue))
    }
}
