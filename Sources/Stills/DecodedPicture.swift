// SPDX-License-Identifier: MIT
// A picture file as a frame, of which pictures of other sizes and formats can be made. Accepts arbitrary bytes.

import LivecapCStills
import LivecapFrames
import LivecapJPEG

/// A JPEG, PNG or HEIC file as a frame.
package struct DecodedPicture: Sendable {
    /// The frame's format: JPEG as it is in the file, or red, green and blue bytes.
    package let format: FrameFormat
    /// The frame.
    package let bytes: [UInt8]
    /// How to turn the frame when it is shown.
    package let orientation: PhotoOrientation

    /// The longest side of a picture that is decoded: no photo's is longer. A file of a few bytes may claim any.
    package static let longestSide = 8192

    /// Decodes a file with the libheif of that file name, if it needs one.
    /// - Throws: `undecodable`; `unavailable` for a HEIC file without libheif.
    package init(_ file: [UInt8], heif name: String = HEIFLibrary.usualName) throws(StillError) {
        guard let picture = PhotoInspection(file, heif: name) else {
            throw .undecodable("it is no JPEG, PNG or HEIC file")
        }
        let size = try picture.decodableSize()
        switch picture.format {
        case .jpeg:
            format = FrameFormat(pixelFormat: .jpeg, size: size)
            bytes = file
            orientation = MetadataSegment.exif.block(of: file.span.bytes).flatMap { PhotoOrientation(exif: $0) } ?? .up
        case .png:
            format = FrameFormat(pixelFormat: .rgb24, size: size)
            bytes = try Self.pixels(ofPNG: file, size)
            orientation = .up
        case .heic:
            format = FrameFormat(pixelFormat: .rgb24, size: size)
            bytes = try HEIFReading.pixels(try HEIFLibrary(name), file, size)
            orientation = .up
        }
    }

    private static func pixels(ofPNG file: [UInt8], _ size: FrameSize) throws(StillError) -> [UInt8] {
        var why = [CChar](repeating: 0, count: 128)
        var isRead = false
        let pixels = [UInt8](unsafeUninitializedCapacity: 3 * size.area) { pixels, count in
            isRead = lc_png_read(
                file, file.count, UInt32(size.width), UInt32(size.height), pixels.baseAddress!, &why, why.count)
            count = isRead ? 3 * size.area : 0
        }
        guard isRead else { throw StillError(libpng: why) }
        return pixels
    }
}

extension PhotoInspection {
    /// The size of a picture that may be decoded, before memory is taken for it.
    /// - Throws: `undecodable` if the file is not whole, or larger than any photo; what this machine lacks.
    func decodableSize() throws(StillError) -> FrameSize {
        if let lack { throw lack }
        // Also because libpng takes as much memory as a chunk claims to need.
        guard isWhole else { throw .undecodable("it is not complete") }
        guard let size, size.width > 0, size.height > 0 else { throw .undecodable("it has no size") }
        guard max(size.width, size.height) <= DecodedPicture.longestSide else {
            throw .undecodable("\(size) is too large")
        }
        return size
    }
}

extension StillError {
    /// The error of a file of which libpng says this, in a text that ends with a zero.
    init(libpng why: [CChar]) {
        let words = String(decoding: why.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        self = words == "out of memory" ? .noMemory : .undecodable(words)
    }
}

extension PhotoOrientation {
    /// The orientation that an Exif block states; nil if it states none.
    package init?(exif block: [UInt8]) {
        let isLittle = block.starts(with: "II*\0".utf8)
        guard isLittle || block.starts(with: "MM\0*".utf8) else { return nil }
        func number(_ place: Int, bytes: Int) -> Int? {
            guard place >= 0, place <= block.count - bytes else { return nil }
            let digits = block[place..<(place + bytes)]
            return (isLittle ? Array(digits.reversed()) : Array(digits)).reduce(0) { $0 << 8 | Int($1) }
        }
        guard let start = number(4, bytes: 4), let count = number(start, bytes: 2) else { return nil }
        let entries = (0..<count).lazy.map { start + 2 + 12 * $0 }
        // The tag, and a single value of 16 bits.
        guard let entry = entries.first(where: { number($0, bytes: 2) == 0x0112 }), number(entry + 2, bytes: 2) == 3,
            number(entry + 4, bytes: 4) == 1, let value = number(entry + 8, bytes: 2)
        else { return nil }
        self.init(rawValue: UInt16(value))
    }
}
