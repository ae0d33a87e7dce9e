// SPDX-License-Identifier: MIT
// The pixel formats that cameras deliver, named by V4L2's four-character codes.

/// A pixel format, named by V4L2's four-character code. Any code can be carried; `layout` describes those that are
/// understood.
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
    /// Three bytes per pixel, red first.
    public static let rgb24 = PixelFormat("RGB3")
    /// Three bytes per pixel, blue first.
    public static let bgr24 = PixelFormat("BGR3")
    /// Motion JPEG as UVC cameras send it.
    public static let mjpeg = PixelFormat("MJPG")
    /// The other code that drivers use for JPEG frames.
    public static let jpeg = PixelFormat("JPEG")

    /// How the bytes of a format are arranged.
    public enum Layout: Hashable, Sendable {
        /// Two pixels in four bytes, with the offsets of the first Y', Cb and Cr within them.
        case packed422(luma: Int, cb: Int, cr: Int)
        /// A plane of Y' and a plane of chroma pairs. Each chroma sample covers `across` by `down` pixels.
        case semiPlanar(across: Int, down: Int, crFirst: Bool)
        /// Three planes. Each chroma sample covers `across` by `down` pixels.
        case planar(across: Int, down: Int, crFirst: Bool)
        /// One byte per pixel.
        case grey
        /// Three bytes per pixel, with the offsets of red and blue within them.
        case rgb(red: Int, blue: Int)
        /// One JPEG picture per frame.
        case jpeg
        /// Any other format: carried and recorded as it is, and converted by libv4lconvert where possible.
        case opaque
    }

    /// How the format's bytes are arranged.
    public var layout: Layout {
        switch self {
        case .yuyv: .packed422(luma: 0, cb: 1, cr: 3)
        case .yvyu: .packed422(luma: 0, cb: 3, cr: 1)
        case .uyvy: .packed422(luma: 1, cb: 0, cr: 2)
        case .vyuy: .packed422(luma: 1, cb: 2, cr: 0)
        case .nv12: .semiPlanar(across: 2, down: 2, crFirst: false)
        case .nv21: .semiPlanar(across: 2, down: 2, crFirst: true)
        case .nv16: .semiPlanar(across: 2, down: 1, crFirst: false)
        case .i420: .planar(across: 2, down: 2, crFirst: false)
        case .yv12: .planar(across: 2, down: 2, crFirst: true)
        case .yuv422p: .planar(across: 2, down: 1, crFirst: false)
        case .grey: .grey
        case .rgb24: .rgb(red: 0, blue: 2)
        case .bgr24: .rgb(red: 2, blue: 0)
        case .mjpeg, .jpeg: .jpeg
        default: .opaque
        }
    }

    /// Whether a frame's size varies with its content.
    public var isCompressed: Bool { layout == .jpeg || self == PixelFormat("H264") || self == PixelFormat("HEVC") }

    /// Common names other than the code itself, in lower case.
    private static let aliases: [String: PixelFormat] = [
        "yuyv422": .yuyv, "yuy2": .yuyv, "uyvy422": .uyvy, "yvyu422": .yvyu, "mjpeg": .mjpeg, "mjpg": .mjpeg,
        "i420": .i420, "yuv420p": .i420, "yuv420": .i420, "yuv422p": .yuv422p, "gray": .grey, "grey": .grey,
        "gray8": .grey, "y8": .grey, "rgb24": .rgb24, "bgr24": .bgr24, "yvu420": .yv12,
    ]

    /// Looks up a format by its four-character code or another common name ("mjpeg", "yuyv422"), ignoring case; nil if
    /// neither matches.
    public init?(named name: String) {
        if let alias = Self.aliases[name.lowercased()] {
            self = alias
            return
        }
        let characters = Array(name.uppercased().utf8)
        guard (3...4).contains(characters.count), characters.allSatisfy({ (0x20..<0x7F).contains($0) }) else {
            return nil
        }
        let padded = characters + Array(repeating: UInt8(ascii: " "), count: 4 - characters.count)
        self.init(fourCC: padded.enumerated().reduce(0) { $0 | UInt32($1.element) << (8 * UInt32($1.offset)) })
    }

    /// The usual name of the format: its code, except for the few whose code is not in common use.
    public var description: String {
        switch self {
        case .i420: return "I420"
        case .yuv422p: return "YUV422P"
        case .rgb24: return "RGB24"
        case .bgr24: return "BGR24"
        default:
            let bytes = (0..<4).map { UInt8(truncatingIfNeeded: fourCC >> (8 * UInt32($0))) }
            guard bytes.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return "0x" + String(fourCC, radix: 16) }
            let text = String(decoding: bytes, as: UTF8.self)
            return text.last == " " ? String(text.dropLast(while: " ")) : text
        }
    }
}

extension String {
    fileprivate func dropLast(while character: Character) -> Substring {
        var end = self[...]
        while end.last == character { end.removeLast() }
        return end
    }
}
