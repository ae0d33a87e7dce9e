// SPDX-License-Identifier: MIT
// Where people are in a picture, kept before anything is drawn into it.

import LivecapDetection

/// How far each sample of a picture is a person, from 0 to 255, at the size of luma and of chroma. The lines that cut
/// people out apply to the picture's own brightness, so it is made before anything is drawn.
final class PeopleMask {
    private let width: Int
    private let height: Int
    private let memory: UnsafeMutablePointer<UInt8>

    init(_ kind: PictureKind) {
        width = kind.size.width
        height = kind.size.height
        let count = width * height + width * height / 4
        memory = .allocate(capacity: count)
        memory.initialize(repeating: 0, count: count)
    }

    deinit { memory.deallocate() }

    /// A row at the size of luma.
    func row(_ y: Int) -> UnsafeMutablePointer<UInt8> { memory + y * width }

    /// A row at the size of chroma.
    func chromaRow(_ y: Int) -> UnsafeMutablePointer<UInt8> { memory + width * height + y * (width / 2) }

    /// Keeps row `y` at the size of chroma, and the two rows of luma there.
    func keep(
        _ y: Int, _ upper: UnsafePointer<UInt8>, _ lower: UnsafePointer<UInt8>, pairs: UnsafePointer<UInt8>
    ) {
        row(2 * y).update(from: upper, count: width)
        row(2 * y + 1).update(from: lower, count: width)
        chromaRow(y).update(from: pairs, count: width / 2)
    }
}
