// SPDX-License-Identifier: MIT
// The pixel formats that cameras deliver, named by V4L2's four-character codes.

/// A pixel format, named by V4L2's four-character code. Any code can be carried; `row` describes those that are known.
public struct PixelFormat: Hashable, Sendable, CustomStringConvertible {
    /// The code as V4L2 writes it: the first character in the lowest byte.
    public let fourCC: UInt32

    /// Creates a format from a code as V4L2 writes it.
    public init(fourCC: UInt32) { self.fourCC = fourCC }

    /// Creates a format from four ASCII characters.
    public init(_ code: StaticString) {
        precondition(code.utf8CodeUnitCount == 4 && code.isASCII, "a code has four characters")
        var value: UInt32 = 0
        code.withUTF8Buffer { bytes in
            for (index, byte) in bytes.enumerated() { value |= UInt32(byte) << (8 * UInt32(index)) }
        }
        fourCC = value
    }

    /// Packed 4:2:2, Y' first. Most uncompressed webcams send this.
    public static let yuyv = PixelFormat("YUYV")
    /// Packed 4:2:2, Cb first.
    public static let uyvy = PixelFormat("UYVY")
    /// Packed 4:2:2, Y' first, Cr before Cb.
    public static let yvyu = PixelFormat("YVYU")
    /// Packed 4:2:2, Cr first.
    public static let vyuy = PixelFormat("VYUY")
    /// 4:2:0 in two planes, chroma pairs Cb first.
    public static let nv12 = PixelFormat("NV12")
    /// 4:2:0 in two planes, chroma pairs Cr first.
    public static let nv21 = PixelFormat("NV21")
    /// 4:2:2 in two planes, chroma pairs Cb first.
    public static let nv16 = PixelFormat("NV16")
    /// 4:2:0 in three planes, Cb before Cr.
    public static let i420 = PixelFormat("YU12")
    /// 4:2:0 in three planes, Cr before Cb.
    public static let yv12 = PixelFormat("YV12")
    /// 4:2:2 in three planes, Cb before Cr.
    public static let yuv422p = PixelFormat("422P")
    /// Eight bits of brightness per pixel.
    public static let grey = PixelFormat("GREY")
    /// Ten bits of brightness per pixel, in the low bits of 16-bit words.
    public static let y10 = PixelFormat("Y10 ")
    /// Twelve bits of brightness per pixel, in the low bits of 16-bit words.
    public static let y12 = PixelFormat("Y12 ")
    /// Sixteen bits of brightness per pixel. Some depth cameras deliver distances in it (`DepthLayout`).
    public static let y16 = PixelFormat("Y16 ")
    /// 4:2:0 of ten bits in two planes, chroma pairs Cb first, in the high bits of 16-bit words.
    public static let p010 = PixelFormat("P010")
    /// Three bytes per pixel, red first.
    public static let rgb24 = PixelFormat("RGB3")
    /// Three bytes per pixel, blue first.
    public static let bgr24 = PixelFormat("BGR3")
    /// Motion JPEG as UVC cameras send it.
    public static let mjpeg = PixelFormat("MJPG")
    /// The other code that drivers use for JPEG frames.
    public static let jpeg = PixelFormat("JPEG")
    /// H.264 as a byte stream, whose frames build on earlier ones. Livecap passes it through into movies and
    /// recordings; for all else it is decoded before it gets into a ring.
    public static let h264 = PixelFormat("H264")
    /// HEVC (H.265) as a byte stream, whose frames build on earlier ones. Livecap passes it through into recordings;
    /// for all else it is decoded before it gets into a ring.
    public static let hevc = PixelFormat("HEVC")

    /// Distances of 16 bits, 0 for none: what most depth cameras send.
    public static let z16 = PixelFormat("Z16 ")
    /// A plane of infrared light of ten bits, and one of distances.
    public static let inzi = PixelFormat("INZI")
    /// Four bits per pixel that say how sure a depth camera is of its distances.
    public static let cnf4 = PixelFormat("CNF4")

    /// Looks up a format by its four-character code or another common name ("mjpeg", "yuyv422"), ignoring case. Other
    /// codes keep their case, because "s561" and "S561" would be two formats. Nil if the name cannot be a code.
    public init?(named name: String) {
        let lower = name.lowercased()
        if let row = PixelFormatRow.all.first(where: {
            [$0.name.description.lowercased(), $0.format.code?.lowercased()].contains(lower)
                || $0.aliases.contains(lower)
        }) {
            self = row.format
            return
        }
        let characters = Array(name.utf8)
        guard (3...4).contains(characters.count), characters.allSatisfy({ (0x20..<0x7F).contains($0) }) else {
            return nil
        }
        let padded = characters + Array(repeating: UInt8(ascii: " "), count: 4 - characters.count)
        self.init(fourCC: padded.enumerated().reduce(0) { $0 | UInt32($1.element) << (8 * UInt32($1.offset)) })
    }

    /// The usual name of the format: its code, except for the few whose code is not in common use.
    public var description: String {
        row.map { "\($0.name)" } ?? code ?? "0x" + String(fourCC, radix: 16)
    }

    /// The code's characters without spaces at the end; nil if they are not printable.
    private var code: String? {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: fourCC >> (8 * UInt32($0))) }
        guard bytes.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return nil }
        return String(String(decoding: bytes, as: UTF8.self).dropLast(while: " "))
    }
}

extension String {
    fileprivate func dropLast(while character: Character) -> Substring {
        var end = self[...]
        while end.last == character { end.removeLast() }
        return end
    }
}
