// SPDX-License-Identifier: MIT
// What a picture file says of its colours, to be said again of a picture that is made of it.

import LivecapFrames

/// The colours of a picture file.
package struct FileColours: Hashable, Sendable {
    /// How its Y'CbCr is made of R'G'B', in full range, and what that stands for. Where the file says nothing, or
    /// something that has no name here, it is BT.601 and sRGB.
    package var colorimetry: Colorimetry
    /// The code points of primaries and transfer function, as they are in the file; nil where it has none.
    var primaries: UInt8?
    var transfer: UInt8?
    /// The data of a PNG file's ICC profile chunk.
    var profile: [UInt8]?

    init(_ colorimetry: Colorimetry, primaries: UInt8? = nil, transfer: UInt8? = nil, profile: [UInt8]? = nil) {
        self.colorimetry = colorimetry
        self.primaries = primaries
        self.transfer = transfer
        self.profile = profile
    }

    /// Those of code points.
    init(_ codes: CodePoints) {
        colorimetry = .jpeg
        colorimetry.matrix = Colorimetry.Matrix(codePoint: codes.matrix) ?? .bt601
        if let code = codes.primaries, let known = Colorimetry.Primaries(codePoint: code) {
            colorimetry.primaries = known
        }
        if let code = codes.transfer, let known = Colorimetry.Transfer(codePoint: code) { colorimetry.transfer = known }
        // 2 means "unspecified", 0 is reserved.
        primaries = codes.primaries.flatMap { $0 == 0 || $0 == 2 ? nil : $0 }
        transfer = codes.transfer.flatMap { $0 == 0 || $0 == 2 ? nil : $0 }
    }

    /// The code points of a picture that was made of the file, whose own would be `usual`. Those that have a name here
    /// are the picture's own; the others are the file's.
    func codes(inPlaceOf usual: CodePoints) -> CodePoints {
        let primaries = primaries.flatMap { Colorimetry.Primaries(codePoint: $0) == nil ? $0 : nil }
        let transfer = transfer.flatMap { Colorimetry.Transfer(codePoint: $0) == nil ? $0 : nil }
        return CodePoints(
            primaries: primaries ?? usual.primaries, transfer: transfer ?? usual.transfer, matrix: usual.matrix,
            isFullRange: usual.isFullRange)
    }
}
