// SPDX-License-Identifier: MIT
// How much of how many frames is in each part of a still, as a picture.

import Frames
import FusionKernels

/// Makes pictures that show what a still rests on: the still in grey, coloured by how many frames' worth of evidence each
/// region of 16x16 pixels has, from dark violet for the reference alone to yellow for all of them. Below it the colours in
/// their order; below that a column a frame, oldest first, as high as the frame's weight: white is the reference's, red all
/// over a frame that was left out.
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

    /// An explanation of a still made of so many frames.
    public init(shares: [Share]) { self.shares = shares }

    // Heights of what lies below the still, from top to bottom.
    static let (gap, scale, columns) = (4, 12, 48)

    /// As a PNG file of 8 bits a sample.
    public func encode(_ picture: FusedPicture, metadata: PhotoMetadata? = nil) throws(StillError) -> [UInt8] {
        let (width, height) = (picture.size.width, picture.size.height)
        let size = FrameSize(width: width, height: height + Self.gap + Self.scale + Self.gap + Self.columns)
        var pixels = [UInt8](repeating: 0, count: 3 * size.area)
        func put(_ x: Int, _ y: Int, _ color: Color) {
            let place = 3 * (y * width + x)
            (pixels[place], pixels[place + 1], pixels[place + 2]) = (color.red, color.green, color.blue)
        }
        let all = Float(shares.count { $0 != .rejected })
        for y in 0..<height {
            for x in 0..<width {
                let frames = picture.evidence[y / 16 * picture.regionsAcross + x / 16]
                let color = Color(share: all > 1 ? (frames - 1) / (all - 1) : 1)
                put(x, y, color.lit(by: Float(picture.planes[0].samples[y * width + x]) / 65535))
            }
        }
        for y in (height + Self.gap)..<(height + Self.gap + Self.scale) {
            for x in 0..<width { put(x, y, Color(share: Float(x) / Float(max(1, width - 1)))) }
        }
        let first = height + Self.gap + Self.scale + Self.gap
        for x in 0..<width {
            let share = shares.isEmpty ? .reference : shares[min(x * shares.count / width, shares.count - 1)]
            let (filled, color) = column(share)
            // A black line between columns.
            let isEdge = x > 0 && x * shares.count / width != (x - 1) * shares.count / width
            for y in 0..<Self.columns where !isEdge && Self.columns - y <= filled { put(x, first + y, color) }
        }
        var described = metadata ?? PhotoMetadata()
        // The still's own account is the still's, and it is read from left to right.
        (described.provenance, described.orientation) = (nil, .up)
        described.description =
            "violet: 1 frame, yellow: \(shares.count { $0 != .rejected }); below, each frame's weight"
        return try PNGEncoder(depth: .eight).encode(rgb24: pixels, size: size, .sRGB, metadata: described)
    }

    /// How high a frame's column is, and its colour.
    private func column(_ share: Share) -> (height: Int, color: Color) {
        switch share {
        case .reference: (Self.columns, Color(red: 255, green: 255, blue: 255))
        case .rejected: (Self.columns, Color(red: 200, green: 30, blue: 30))
        case .used(let weight):
            (Int((Double(Self.columns) * min(max(weight, 0), 1)).rounded()), Color(share: Float(weight)))
        }
    }
}

/// Red, green and blue.
private struct Color {
    var red: UInt8
    var green: UInt8
    var blue: UInt8
}

extension Color {
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
    func lit(by brightness: Float) -> Color {
        let light = 0.25 + 0.75 * min(max(brightness, 0), 1)
        func part(_ channel: UInt8) -> UInt8 { UInt8((Float(channel) * light).rounded()) }
        return Color(red: part(red), green: part(green), blue: part(blue))
    }
}
