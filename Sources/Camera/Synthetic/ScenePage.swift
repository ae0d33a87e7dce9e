// SPDX-License-Identifier: MIT
// A printed page in the scene, on which lost sharpness is obvious at a glance.

import LivecapFrames

/// A slightly tilted sheet with a heading and lines of ever smaller print.
struct Page: Sendable {
    let pixel: Float

    private static let lines: [(text: String, top: Float, size: Float)] = [
        ("LIVECAP", 0.030, 0.0085),
        ("THE FRAME YOU SAW", 0.115, 0.0034), ("IS THE FRAME YOU GET", 0.149, 0.0034),
        ("A RING OF FRAMES REMEMBERS THE", 0.195, 0.0021), ("LAST SECOND AND A HALF SO THAT", 0.217, 0.0021),
        ("THE SHUTTER CAN LOOK BACK IN TIME", 0.239, 0.0021), ("EIGHT OF THEM ALIGNED AND MERGED", 0.261, 0.0021),
        ("MAKE ONE GOOD PHOTO", 0.283, 0.0021),
        ("QUARTZ JUDGE MY VOW SPHINX OF BLACK", 0.318, 0.0017), ("WHO PACKED FIVE DOZEN LIQUOR JUGS", 0.336, 0.0017),
        ("HOW VEXINGLY QUICK DAFT ZEBRAS JUMP", 0.354, 0.0017), ("FEW BLACK TAXIS DRIVE UP MAJOR ROADS", 0.372, 0.0017),
    ]
    private static let letters = lines.map { line in line.text.utf8.map(DotFont.rows) }

    func paint(_ u: Float, _ v: Float, _ color: inout SIMD4<Float>) {
        // Tilted by slightly more than three degrees.
        let (cu, cv) = (u + 0.14, v - 0.725)
        let (cosine, sine): (Float, Float) = (0.9984, 0.0566)
        let (x, y) = (cosine * cu + sine * cv + 0.24, cosine * cv - sine * cu + 0.215)
        let inside = min(min(x, 0.48 - x), min(y, 0.43 - y))
        guard inside > -pixel else { return }
        var sheet = SceneMath.color(0xF4F1E8) * (0.98 - 0.25 * y)
        sheet = SceneMath.mix(sheet, SceneMath.color(0x1B1B22), ink(x - 0.03, y))
        color = SceneMath.mix(color, sheet, coverage(inside, pixel))
    }

    /// How much of the pixel is printed, sampled at four points.
    private func ink(_ x: Float, _ y: Float) -> Float {
        guard let index = Self.lines.firstIndex(where: { y > $0.top - pixel && y < $0.top + 7 * $0.size + pixel })
        else {
            return 0
        }
        let (line, letters) = (Self.lines[index], Self.letters[index])
        var printed: Float = 0
        for corner in 0..<4 {
            let px = x + (corner & 1 == 0 ? -0.25 : 0.25) * pixel
            let py = y + (corner & 2 == 0 ? -0.25 : 0.25) * pixel
            let (dotX, dotY) = ((px / line.size).rounded(.down), ((py - line.top) / line.size).rounded(.down))
            guard dotX >= 0, dotY >= 0, dotY < 7 else { continue }
            let (letter, column) = Int(dotX).quotientAndRemainder(dividingBy: 6)
            guard letter < letters.count, column < 5 else { continue }
            if letters[letter] >> UInt64(5 * (6 - Int(dotY)) + 4 - column) & 1 == 1 { printed += 0.25 }
        }
        return printed
    }
}
