// SPDX-License-Identifier: MIT
// What stands below an explained still: what the colours mean, and how much of each frame is in it.

import Frames

/// Where everything below the still lies, in rows of pixels. Words are left out where pictures are too narrow for them.
struct ExplanationLegend {
    /// Of the words.
    let text: TextSize
    private let colorWords: (top: Int, lines: [String])
    /// The colours in their order.
    let scale: Range<Int>
    /// The first row of the numbers below the colours.
    let ticks: Int?
    private let weightWords: (top: Int, lines: [String])
    /// A column per frame.
    let columns: Range<Int>
    /// The first row of the frames' numbers.
    let names: Int?
    /// How tall the whole picture is.
    let bottom: Int

    /// A sentence that takes more lines has no room.
    private static let mostLines = 3
    // Heights, and the least distance.
    private static let (gap, scaleHeight, columnHeight) = (4, 12, 48)

    /// Below a still of a size.
    init(_ picture: ExplanationPicture, _ size: FrameSize) {
        let text = TextSize(scale: size.width >= 1600 ? 3 : size.width >= 560 ? 2 : 1), gap = Self.gap * text.scale
        func words(_ sentence: String) -> [String] {
            let lines = text.lines(sentence, within: size.width - 2 * gap) ?? []
            return lines.count <= Self.mostLines ? lines : []
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
        for (top, lines) in [colorWords, weightWords] {
            for (index, line) in lines.enumerated() {
                canvas.write(line, 2 * text.scale, top + index * text.line, scale: text.scale)
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
        // One frame is all there is, and has the last colour.
        let frames = used > 1 ? Array(1...used) : [used]
        for (index, number) in frames.enumerated() {
            let label = "\(number)", end = width - text.width(label)
            let middle = used > 1 ? index * (width - 1) / (used - 1) : width - 1
            canvas.write(label, min(max(0, middle - text.width(label) / 2), end), ticks, scale: text.scale)
        }
    }

    /// The columns of pixels of a frame; all of them where there is none.
    static func stretch(_ index: Int, of count: Int, _ width: Int) -> Range<Int> {
        func edge(_ index: Int) -> Int { (index * width + count - 1) / count }
        return edge(index)..<edge(index + 1)
    }

    private func drawColumns(_ picture: ExplanationPicture, _ canvas: inout Canvas) {
        let shares = picture.shares.isEmpty ? [.reference] : picture.shares
        // Numbers that do not fit below every column stand below every other one, or every third.
        let longest = picture.names.map(text.width).max() ?? 0
        let step = (longest + 2 * text.scale * DotFont.advance) * shares.count / canvas.size.width + 1
        let reference = shares.firstIndex(of: .reference) ?? 0
        for (index, share) in shares.enumerated() {
            let stretch = Self.stretch(index, of: shares.count, canvas.size.width)
            let (part, color) = column(share)
            let filled = Int((Double(columns.count) * part).rounded())
            // A black line between columns.
            let inner = (stretch.lowerBound + (index > 0 ? 1 : 0))..<max(stretch.upperBound, stretch.lowerBound + 1)
            canvas.fill(
                inner.clamped(to: 0..<canvas.size.width), (columns.upperBound - filled)..<columns.upperBound, color)
            // The moment's own number is always there.
            guard let names, !picture.names.isEmpty, (index - reference) % step == 0 else { continue }
            let name = picture.names[index]
            let x = (stretch.lowerBound + stretch.upperBound - text.width(name)) / 2
            canvas.write(
                name, min(max(0, x), max(0, canvas.size.width - text.width(name))), names, scale: text.scale)
        }
    }

    /// How much of a frame's column is filled, and its colour.
    private func column(_ share: ExplanationPicture.Share) -> (part: Double, color: PaletteColor) {
        switch share {
        case .reference: (1, .white)
        case .rejected: (1, .rejected)
        case .used(let weight):
            (min(max(weight.isFinite ? weight : 0, 0), 1), PaletteColor(share: Float(weight)))
        }
    }
}
