// SPDX-License-Identifier: MIT
// Reads the samples of PNG files as they are, and what the files say of their colours.

import Glibc
import LivecapCStills
import LivecapFrames

/// Reads PNG files without loss.
enum PNGReading {
    /// Red, green and blue from 0 to 65535 of a file of a size, in rows without padding: those of the file, or 257
    /// times those that are bytes. Only what is transparent is drawn on black, and files that describe their colours by
    /// an exponent alone become sRGB.
    static func samples(_ file: [UInt8], _ chunks: PNGChunks, _ size: FrameSize) throws(StillError) -> [UInt16] {
        let lanes = chunks.hasTransparency ? 4 : 3
        var why = [CChar](repeating: 0, count: 128)
        var isRead = false
        let curve = LightCurve(exponent: chunks.foreignGamma)
        let samples = [UInt16](unsafeUninitializedCapacity: lanes * size.area) { samples, count in
            isRead = lc_png_read_fine(
                file, file.count, UInt32(size.width), UInt32(size.height), UInt8(lanes), samples.baseAddress!, &why,
                why.count)
            guard isRead else { return }
            if lanes == 4 { drawOnBlack(samples, size.area, curve) }
            count = 3 * size.area
            guard !curve.isSRGB else { return }
            let table = (0...UInt16.max).map { curve.encoded(curve.light($0)) }
            for place in 0..<count { samples[place] = table[Int(samples[place])] }
        }
        guard isRead else { throw StillError(libpng: why) }
        return samples
    }

    /// Draws pixels with a share of light on black, in place: four samples become three.
    private static func drawOnBlack(_ samples: UnsafeMutableBufferPointer<UInt16>, _ count: Int, _ curve: LightCurve) {
        for place in 0..<count {
            let share = samples[4 &* place &+ 3]
            for channel in 0..<3 {
                let own = samples[4 &* place &+ channel]
                samples[3 &* place &+ channel] =
                    switch share {
                    case 0: 0
                    case .max: own
                    default: curve.dimmed(own, to: Double(share) / 65535)
                    }
            }
        }
    }
}

extension PNGChunks {
    /// The exponent of an encoding that only its number describes, and that is not about that of sRGB; else nil. Files
    /// with better descriptions have it for old readers.
    fileprivate var foreignGamma: Double? {
        guard !isSRGB, profile == nil, codes == nil, let gamma, gamma > 0, abs(gamma - 45455) > 2273 else { return nil }
        return Double(gamma) / 100_000
    }
}

extension FileColours {
    /// Those of a PNG file.
    init(_ chunks: PNGChunks) {
        // The matrix of R'G'B' is 0. Narrow ranges are for video.
        if let codes = chunks.codes, codes[2] == 0, codes[3] == 1 {
            self.init(CodePoints(primaries: codes[0], transfer: codes[1], matrix: 0, isFullRange: true))
        } else {
            // A profile of grey is none for colours, which the picture has from now on.
            self.init(.jpeg, profile: chunks.isColour ? chunks.profile : nil)
        }
    }
}

/// How samples of R'G'B' stand for light.
private struct LightCurve {
    /// The exponent of the encoding; nil for sRGB.
    private let exponent: Double?
    var isSRGB: Bool { exponent == nil }

    init(exponent: Double?) { self.exponent = exponent }

    /// The light of a sample, from 0 to 1.
    func light(_ sample: UInt16) -> Double {
        let value = Double(sample) / 65535
        if let exponent { return pow(value, 1 / exponent) }
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    /// The sample of sRGB for light from 0 to 1.
    func encoded(_ light: Double) -> UInt16 {
        let value = light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
        return UInt16((65535 * min(max(value, 0), 1)).rounded())
    }

    /// The sample, of the same encoding, of a share of a sample's light.
    func dimmed(_ sample: UInt16, to share: Double) -> UInt16 {
        guard let exponent else { return encoded(share * light(sample)) }
        return UInt16((65535 * min(pow(share * light(sample), exponent), 1)).rounded())
    }
}
