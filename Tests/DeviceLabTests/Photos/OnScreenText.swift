// SPDX-License-Identifier: MIT
// The number the virtual camera writes over each of its frames, read back from pixels.

import Frames
import Testing

@testable import Camera

/// Reads the frame counter that the driver draws: white on black, in a fixed place, as " 00:00:01:234 56".
///
/// What the digits look like is learnt from a recording, whose frames the driver has numbered in its own words too. A digit
/// counts as read where no other is nearly as much like it: a ghost of another frame's number shows.
struct OnScreenText {
    /// The brightness of a pixel, from 0 for black to 1 for white, by column and row.
    typealias Brightness = (_ x: Int, _ y: Int) -> Float

    /// The digits' pixels, row by row.
    private let digits: [[Float]]

    /// Where the number begins, behind the time, and how large a digit is.
    private static let (left, top, width, height) = (16 + 14 * 8, 16, 8, 16)
    /// How much of a digit's pixels may be amiss, and how far from all of them is none of them. Any two differ by 0.07 or more.
    private static let (amiss, none): (Float, Float) = (0.06, 0.14)

    /// Learnt once; the driver's digits stay the same.
    static let shared = Result { try OnScreenText(recorded: 40) }

    /// Has the webcam show its counter, once it is known what digits look like.
    static func shown() throws -> Vivid {
        _ = try shared.get()
        let vivid = try Vivid()
        try vivid.showCounters()
        return vivid
    }

    /// Learns from a recording of so many frames.
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
                // The recording's frames are those of their numbers, or this would not be.
                #expect(Self.difference(pixels, known) == 0, "a \(digit) of frame \(frame.sequence)")
                digits[digit.wholeNumberValue!] = known
            }
        }
        self.digits = try digits.map { try #require($0, "a digit was not in the recording") }
        for (one, other) in (0..<10).flatMap({ one in (0..<one).map { (one, $0) } }) {
            try #require(Self.difference(self.digits[one], self.digits[other]) > Self.amiss, "\(one) and \(other)")
        }
    }

    /// The number in a picture; throws where it cannot be told beyond doubt.
    func number(_ brightness: Brightness) throws -> UInt32 {
        var number: UInt32 = 0
        for place in 0..<10 {
            let pixels = Self.pixels(place, brightness)
            let ranked = digits.enumerated().map { (digit: $0.offset, difference: Self.difference(pixels, $0.element)) }
                .sorted { $0.difference < $1.difference }
            // Behind the last digit is the picture.
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

    /// The mean of how far apart pixels are.
    private static func difference(_ one: [Float], _ other: [Float]) -> Float {
        zip(one, other).reduce(0) { $0 + abs($1.0 - $1.1) } / Float(one.count)
    }

    /// A digit in doubt.
    struct Unreadable: Error, CustomStringConvertible {
        let place: Int
        let best: (digit: Int, difference: Float), next: (digit: Int, difference: Float)
        var description: String {
            "digit \(place) of the number: \(best.digit) differs by \(best.difference), "
                + "\(next.digit) by \(next.difference)"
        }
    }
}
