// SPDX-License-Identifier: MIT
// Reads the frame number that the virtual camera draws over each of its frames back from the pixels.

import LivecapFrames
import Testing

@testable import Camera
@testable import LivecapFrameFiles

/// Reads the frame counter that the driver draws: white on black, in a fixed place, as " 00:00:01:234 56".
///
/// The shapes of the digits are learnt from a recording, whose metadata holds the driver's sequence number of each
/// frame. A digit is accepted only if no other digit is nearly as similar, so that a ghost of another frame's number is
/// detected.
struct OnScreenText {
    /// The brightness of a pixel, from 0 for black to 1 for white, by column and row.
    typealias Brightness = (_ x: Int, _ y: Int) -> Float

    /// The digits' pixels, row by row.
    private let digits: [[Float]]

    /// Where the number begins, after the time, and the size of a digit.
    private static let (left, top, width, height) = (16 + 14 * 8, 16, 8, 16)
    /// Mean differences per pixel: up to `amiss` it is this digit, above `none` for every digit it is not a digit. Any
    /// two digits differ by at least 0.07.
    private static let (amiss, none): (Float, Float) = (0.06, 0.14)

    /// Learnt once, because the driver always draws the same digits.
    static let shared = Result { try OnScreenText(recorded: 40) }

    /// Learns the digits if necessary, then sets the webcam to show its counter.
    static func shown() throws -> Vivid {
        _ = try shared.get()
        let vivid = try Vivid()
        try vivid.showCounters()
        return vivid
    }

    /// Learns the digits from a recording of `count` frames.
    private init(recorded count: Int) throws {
        let vivid = try Vivid()
        defer { try? vivid.reset() }
        try vivid.showCounters()
        let folder = try TemporaryFolder()
        let path = folder.path("digits.lcap")
        let outcome = try Livecap.start(Livecap.recording(count, to: path)).finish()
        try #require(outcome.status == 0, "\(outcome.errors)")
        let reader = try DumpReader(path)
        let format = reader.header.format
        try #require(format.pixelFormat == .yuyv && format.colorimetry.range == .limited)
        var bytes = [UInt8](repeating: 0, count: reader.largestFrame)
        var digits = [[Float]?](repeating: nil, count: 10)
        for index in 0..<reader.frameCount {
            let frame = try bytes.withUnsafeMutableBytes { try reader.read(index, into: $0) }
            try #require(frame.isUsable)
            let stride = format.planes[0].stride
            for (place, digit) in String(frame.sequence).enumerated() {
                let pixels = Self.pixels(place) { Float(Int(bytes[$1 * stride + 2 * $0]) - 16) / 219 }
                let known = digits[digit.wholeNumberValue!] ?? pixels
                // This holds only if each frame of the recording shows its own sequence number.
                #expect(Self.difference(pixels, known) == 0, "a \(digit) of frame \(frame.sequence)")
                digits[digit.wholeNumberValue!] = known
            }
        }
        self.digits = try digits.map { try #require($0, "a digit was not in the recording") }
        for (one, other) in (0..<10).flatMap({ one in (0..<one).map { (one, $0) } }) {
            try #require(Self.difference(self.digits[one], self.digits[other]) > Self.amiss, "\(one) and \(other)")
        }
    }

    /// The number in a picture. Throws if a digit is ambiguous.
    func number(_ brightness: Brightness) throws -> UInt32 {
        var number: UInt32 = 0
        for place in 0..<10 {
            let pixels = Self.pixels(place, brightness)
            let ranked = digits.enumerated().map { (digit: $0.offset, difference: Self.difference(pixels, $0.element)) }
                .sorted { $0.difference < $1.difference }
            // The picture continues after the last digit.
            if place > 0 && ranked[0].difference > Self.none { return number }
            guard ranked[0].difference <= Self.amiss, ranked[0].difference <= ranked[1].difference / 2 else {
                throw Unreadable(place: place, best: ranked[0], next: ranked[1])
            }
            number = number * 10 + UInt32(ranked[0].digit)
        }
        return number
    }

    private static func pixels(_ place: Int, _ brightness: Brightness) -> [Float] {
        (0..<height).flatMap { y in (0..<width).map { brightness(left + place * width + $0, top + y) } }
    }

    /// The mean absolute difference per pixel.
    private static func difference(_ one: [Float], _ other: [Float]) -> Float {
        zip(one, other).reduce(0) { $0 + abs($1.0 - $1.1) } / Float(one.count)
    }

    /// An ambiguous digit.
    struct Unreadable: Error, CustomStringConvertible {
        let place: Int
        let best: (digit: Int, difference: Float), next: (digit: Int, difference: Float)
        var description: String {
            "digit \(place) of the number: \(best.digit) differs by \(best.difference), "
                + "\(next.digit) by \(next.difference)"
        }
    }
}
