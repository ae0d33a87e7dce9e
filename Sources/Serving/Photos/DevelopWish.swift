// SPDX-License-Identifier: MIT
// How a photo is to be developed again.

import LiveCapture
import LivecapFrames
import LivecapJSONText
import LivecapStills

/// The body of `POST /photos/ID/develop`, read.
struct DevelopWish: Sendable {
    /// How many frames later the moment is; earlier if negative.
    var steps = 0
    private var quality: PhotoQuality?
    private var format: StillFormat?
    private var frames: Int?

    private static let keys: Set = ["quality", "format", "shift", "frames"]

    init(_ body: [UInt8]) throws(ShotWish.Fault) {
        let object = try JSON(body: body, known: Self.keys, example: "{\"shift\":-1}, for example")
        steps = Int(try Self.number("shift", in: -1000...1000, of: object) ?? 0)
        frames = try Self.number("frames", in: 1...1000, of: object).map { Int($0) }
        if let value = object["quality"] {
            guard let quality = value.asString.flatMap({ PhotoQuality(rawValue: $0) }) else {
                throw ShotWish.Fault(words: "\"quality\" has no such value", hint: "give one such as balanced")
            }
            self.quality = quality
        }
        if let value = object["format"] {
            guard let format = value.asString.flatMap({ StillFormat(rawValue: $0) }) else {
                throw ShotWish.Fault(words: "\"format\" has no such value", hint: "give jpeg, heic or png")
            }
            self.format = format
        }
    }

    private static func number(
        _ key: String, in range: ClosedRange<Int64>, of object: JSON
    ) throws(ShotWish.Fault) -> Int64? {
        guard let value = object[key] else { return nil }
        guard let number = value.asInteger, range.contains(number) else {
            throw ShotWish.Fault(
                words: "\"\(key)\" is not a number from \(range.lowerBound) to \(range.upperBound)",
                hint: "leave it out, or give one")
        }
        return number
    }

    func change(_ settings: inout PhotoSettings) {
        if let quality, quality != settings.quality {
            (settings.quality, settings.frames, settings.laterFrames) = (quality, nil, 0)
        }
        if let format { settings.format = format }
        if let frames { settings.frames = frames }
    }
}
