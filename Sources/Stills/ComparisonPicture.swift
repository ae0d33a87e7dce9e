// SPDX-License-Identifier: MIT
// Before and after: a piece of a frame next to the same piece of the still made from it, magnified.

import Fusion
import LivecapFrames

/// Creates pictures that show the effect of fusion: the frame on the left, the still on the right, a thin white line in
/// between, and a label above each.
///
/// The piece is taken from the place with the most to see, where noise has gone in the midst of texture that has not.
/// The same two pictures always give the same piece.
package struct ComparisonPicture: Sendable {
    /// The factor by which pixels are enlarged, horizontally and vertically.
    package var magnification: Int
    /// The size of the piece. It is a multiple of 8 and limited by the size of the pictures.
    package var pieceSize: FrameSize
    /// The labels above the halves, shown if the halves are wide enough.
    package var labels = (before: "BEFORE", after: "AFTER")

    /// Creates comparisons with pieces of `pieceSize`, enlarged by `magnification`.
    package init(magnification: Int = 2, pieceSize: FrameSize = FrameSize(width: 320, height: 360)) {
        precondition((1...16).contains(magnification), "a magnification that can be looked at")
        precondition((8...8192).contains(pieceSize.width) && (8...8192).contains(pieceSize.height), "a piece")
        self.magnification = magnification
        self.pieceSize = pieceSize
    }

    /// The width of the line in pixels.
    static let lineWidth = 2

    /// Encodes both pieces as a PNG file with 8 bits per sample. `before` is the plain mean of a single frame, which
    /// changes only the number of bits.
    package func encode(
        before: FusedPicture, after: FusedPicture, metadata: PhotoMetadata? = nil
    ) throws(StillError) -> [UInt8] {
        guard before.size == after.size, before.chroma == after.chroma, before.colorimetry == after.colorimetry else {
            throw .unencodable("a frame of \(before.size) and a still of \(after.size) are no pair")
        }
        let piece = piece(before: before, after: after)
        let side = magnification * piece.size.width
        let bar = bar(side), top = bar.height
        let size = FrameSize(width: 2 * side + Self.lineWidth, height: top + magnification * piece.size.height)
        var canvas = Canvas(size)
        canvas.fill(side..<(side + Self.lineWidth), 0..<size.height, .white)
        if let text = bar.text {
            let margin = 2 * text.scale
            canvas.write(labels.before, x: margin, y: margin, scale: text.scale)
            canvas.write(labels.after, x: side + Self.lineWidth + margin, y: margin, scale: text.scale)
        }
        var pixels = canvas.pixels
        for (picture, start) in [(before, 0), (after, side + Self.lineWidth)] {
            let rows = ColorRows(picture)
            for y in 0..<piece.size.height {
                let row = rows.row(piece.y + y)
                for x in 0..<side {
                    let source = 3 * (piece.x + x / magnification)
                    let target = 3 * ((top + magnification * y) * size.width + start + x)
                    for channel in 0..<3 { pixels[target + channel] = row[source + channel] }
                }
                // The rows that repeat this one.
                let first = 3 * ((top + magnification * y) * size.width + start)
                for copy in 1..<max(magnification, 1) {
                    let place = first + 3 * copy * size.width
                    for byte in 0..<(3 * side) { pixels[place + byte] = pixels[first + byte] }
                }
            }
        }
        var described = metadata
        // The still's provenance does not apply to the comparison, and "before" must stay on the left.
        described?.provenance = nil
        described?.orientation = .up
        return try PNGEncoder(depth: .eight).encode(
            rgb24: pixels, size: size, before.colorimetry, metadata: described)
    }

    /// The height of the bar with the labels for halves of a given width, and the size of the text; nil if the labels
    /// do not fit.
    func bar(_ side: Int) -> (height: Int, text: TextSize?) {
        let text = [3, 2, 1].map(TextSize.init).first { text in
            max(text.width(labels.before), text.width(labels.after)) + 4 * text.scale <= side
        }
        return (text.map { $0.line + $0.scale } ?? 0, text)
    }

    /// The position and size of a piece.
    struct Piece: Hashable, Sendable {
        var x: Int
        var y: Int
        var size: FrameSize
    }

    /// Finds the piece with the most to see. A border of a sixteenth of the picture is excluded on each side, because
    /// stills are based on fewer frames there.
    func piece(before: FusedPicture, after: FusedPicture) -> Piece {
        let blocks = BlockMerits(before: before, after: after)
        func stretch(_ length: Int, _ wanted: Int) -> (first: Int, count: Int, places: Int) {
            let blocks = length / BlockMerits.side
            let border = min(max(1, blocks / 16), (blocks - 1) / 2)
            let room = blocks - 2 * border
            let count = min(wanted / BlockMerits.side, room)
            return (border, count, room - count + 1)
        }
        let across = stretch(before.size.width, pieceSize.width)
        let down = stretch(before.size.height, pieceSize.height)
        var best = (merit: -1.0, x: 0, y: 0)
        for y in down.first..<(down.first + down.places) {
            for x in across.first..<(across.first + across.places) {
                let merit = blocks.sum(x: x, y: y, width: across.count, height: down.count)
                if merit > best.merit { best = (merit, x, y) }
            }
        }
        let side = BlockMerits.side
        return Piece(
            x: best.x * side, y: best.y * side, size: FrameSize(width: across.count * side, height: down.count * side))
    }
}

/// Rows with three bytes per pixel, even for grey pictures.
private struct ColorRows {
    private let rows: PictureRows
    private let width: Int

    init(_ picture: FusedPicture) {
        rows = PictureRows(picture)
        width = picture.size.width
    }

    func row(_ y: Int) -> [UInt8] {
        let samples = [UInt8](unsafeUninitializedCapacity: rows.channels * width) { bytes, count in
            rows.bytes(y, into: bytes.baseAddress!)
            count = rows.channels * width
        }
        return rows.channels == 3 ? samples : samples.flatMap { [$0, $0, $0] }
    }
}

/// How much there is to see in each block of 8x8 pixels: how much the pictures differ, times how busy the still is.
///
/// Both are standard deviations, so that neither a few very different blocks nor a single hard edge decides. All steps
/// except the last use integers, and the order of the last is fixed, so the result is the same on every machine.
private struct BlockMerits {
    static let side = 8
    private let across: Int
    /// Sums over all blocks above and to the left, with a leading row and column of zeros.
    private var sums: [Double]

    init(before: FusedPicture, after: FusedPicture) {
        let size = before.size
        let (across, down) = (size.width / Self.side, size.height / Self.side)
        self.across = across
        var differences = [Moments](repeating: Moments(), count: across * down)
        var textures = differences
        let (old, new) = (ColorRows(before), ColorRows(after))
        for y in 0..<(down * Self.side) {
            let (oldRow, newRow) = (old.row(y), new.row(y))
            for x in 0..<(across * Self.side) {
                func light(_ row: [UInt8]) -> Int { Int(row[3 * x]) + 2 * Int(row[3 * x + 1]) + Int(row[3 * x + 2]) }
                let block = y / Self.side * across + x / Self.side
                let (was, now) = (light(oldRow), light(newRow))
                differences[block].add(was - now)
                textures[block].add(now)
            }
        }
        let least = Double(2 * Self.side * Self.side)
        sums = [Double](repeating: 0, count: (across + 1) * (down + 1))
        for y in 0..<down {
            var row = 0.0
            for x in 0..<across {
                let (noise, texture) = (
                    Double(differences[y * across + x].variance), Double(textures[y * across + x].variance)
                )
                // Even a flat still shows its noise, so every block counts as having half a code of texture.
                row += noise.squareRoot() * (texture.squareRoot() + least)
                sums[(y + 1) * (across + 1) + x + 1] = sums[y * (across + 1) + x + 1] + row
            }
        }
    }

    /// The sum over `width` by `height` blocks starting at (`x`, `y`).
    func sum(x: Int, y: Int, width: Int, height: Int) -> Double {
        func above(_ x: Int, _ y: Int) -> Double { sums[y * (across + 1) + x] }
        return above(x + width, y + height) - above(x, y + height) - (above(x + width, y) - above(x, y))
    }
}

/// Sums from which a block's variance is computed.
private struct Moments {
    private var sum = 0
    private var squares = 0

    mutating func add(_ value: Int) {
        sum += value
        squares += value * value
    }

    /// The variance times the square of the number of values.
    var variance: Int { squares * BlockMerits.side * BlockMerits.side - sum * sum }
}
