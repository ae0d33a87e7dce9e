// SPDX-License-Identifier: MIT
// The legend below an explained still: the meaning of the colours, and the weight of each frame.

import LivecapFrames

/// The positions of everything below the still, in rows of pixels. Words are omitted if the picture is too narrow for
/// them.
struct ExplanationLegend {
    /// The size of the text.
    let text: TextSize
    private let colorWords: (top: Int, lines: [String])
    /// The rows of the colour scale.
    let scale: Range<Int>
    /// The first row of the numbers below the colour scale.
    let ticks: Int?
    private let signWords: (top: Int, lines: [String])
    private let weightWords: (top: Int, lines: [String])
    /// The rows of the columns, one column per frame.
    let columns: Range<Int>
    /// The first row of the frames' names.
    let names: Int?
    /// The height of the whole picture.
    let bottom: Int

    /// A sentence that needs more lines than this is omitted.
    private static let maxLines = 3
    // Heights, and the minimum distance, before scaling.
    private static let (gap, scaleHeight, columnHeight) = (4, 12, 48)

    /// Lays out the legend below a still of a size.
    init(_ picture: ExplanationPicture, _ size: FrameSize, hasSigns: Bool = false) {
        let text = TextSize(scale: size.width >= 1600 ? 3 : size.width >= 560 ? 2 : 1), gap = Self.gap * text.scale
        func words(_ sentence: String) -> [String] {
            let lines = text.lines(sentence, within: size.width - 2 * gap) ?? []
            return lines.count <= Self.maxLines ? lines : []
        }
        var y = size.height + gap
        let colors = words("COLOUR: FRAMES THAT AGREE IN THIS PLACE")
        colorWords = (y, colors)
        y += colors.count * text.line
        scale = y..<(y + Self.scaleHeight * text.scale)
        y = scale.upperBound + gap
        let hasWords = !colors.isEmpty
        ticks = hasWords ? y : nil
        if hasWords { y += text.line + gap }
        let signs =
            hasWords && hasSigns
            ? words("LINES: SLANTED WHERE MOST DIFFER, UPRIGHT: COLOUR, CROSSED: CLIPPED. DOTS: FRAMES BARELY AGREE")
            : []
        signWords = (y, signs)
        y += signs.count * text.line
        let weights = hasWords ? words("COLUMNS: WEIGHT OF EACH FRAME. WHITE: THE MOMENT. RED: NOT USED") : []
        weightWords = (y, weights)
        y += weights.count * text.line
        columns = y..<(y + Self.columnHeight * text.scale)
        y = columns.upperBound
        names = hasWords && !picture.names.isEmpty ? y + gap : nil
        if names != nil { y += gap + text.line }
        bottom = y
        self.text = text
    }

    func draw(_ picture: ExplanationPicture, _ canvas: inout Canvas) {
        for (top, lines) in [colorWords, signWords, weightWords] {
            for (index, line) in lines.enumerated() {
                canvas.write(line, x: 2 * text.scale, y: top + index * text.line, scale: text.scale)
            }
        }
        drawScale(picture, &canvas)
        drawColumns(picture, &canvas)
    }

    private func drawScale(_ picture: ExplanationPicture, _ canvas: inout Canvas) {
        let width = canvas.size.width
        for x in 0..<width {
            canvas.fill(x..<(x + 1), scale, PaletteColor(share: Float(x) / Float(max(1, width - 1))))
        }
        guard let ticks else { return }
        let used = picture.shares.count { $0 != .rejected }
        // With a single frame, its number stands at the last colour.
        let frames = used > 1 ? Array(1...used) : [used]
        for (index, number) in frames.enumerated() {
            let label = "\(number)", end = width - text.width(label)
            let middle = used > 1 ? index * (width - 1) / (used - 1) : width - 1
            canvas.write(label, x: min(max(0, middle - text.width(label) / 2), end), y: ticks, scale: text.scale)
        }
    }

    /// The pixel columns of frame `index` out of `count`.
    static func stretch(_ index: Int, of count: Int, _ width: Int) -> Range<Int> {
        func edge(_ index: Int) -> Int { (index * width + count - 1) / count }
        return edge(index)..<edge(index + 1)
    }

    private func drawColumns(_ picture: ExplanationPicture, _ canvas: inout Canvas) {
        let shares = picture.shares.isEmpty ? [.reference] : picture.shares
        // If the names do not fit below every column, show only every second, third, and so on.
        let longest = picture.names.map(text.width).max() ?? 0
        let step = (longest + 2 * text.scale * DotFont.advance) * shares.count / canvas.size.width + 1
        let reference = shares.firstIndex(of: .reference) ?? 0
        for (index, share) in shares.enumerated() {
            let stretch = Self.stretch(index, of: shares.count, canvas.size.width)
            let (part, color) = column(share)
            let filled = Int((Double(columns.count) * part).rounded())
            // Leave a black line between columns.
            let inner = (stretch.lowerBound + (index > 0 ? 1 : 0))..<max(stretch.upperBound, stretch.lowerBound + 1)
            canvas.fill(
                inner.clamped(to: 0..<canvas.size.width), (columns.upperBound - filled)..<columns.upperBound, color)
            // The moment's own name is always shown.
            guard let names, !picture.names.isEmpty, (index - reference) % step == 0 else { continue }
            let name = picture.names[index]
            let x = (stretch.lowerBound + stretch.upperBound - text.width(name)) / 2
            canvas.write(
                name, x: min(max(0, x), max(0, canvas.size.width - text.width(name))), y: names, scale: text.scale)
        }
    }

    /// The filled part of a frame's column, and its colour.
    private func column(_ share: ExplanationPicture.Share) -> (part: Double, color: PaletteColor) {
        switch share {
        case .reference: (1, .white)
        case .rejected: (1, .rejected)
        case .used(let weight):
            (min(max(weight.isFinite ? weight : 0, 0), 1), PaletteColor(share: Float(weight)))
        }
    }
}
