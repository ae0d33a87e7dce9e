// SPDX-License-Identifier: MIT
// What a client asks of a shot.

import LiveCapture
import LivecapFrames
import LivecapJSONText
import LivecapStills

/// The body of `POST /shots`, read.
struct ShotWish: Sendable {
    var tap: Tap
    var settings: PhotoSettings
    /// A text of the client's, which comes back with what is told of the shot.
    var tag: String?

    /// What is wrong with a body.
    struct Fault: Error {
        let words: String
        let hint: String
    }

    private static let keys: Set = [
        "frame", "at", "agoMs", "quality", "format", "frames", "reference", "zoom", "tag",
    ]

    /// Reads a body. What it leaves out is as in `usual`.
    init(_ body: [UInt8], usual: PhotoSettings) throws(Fault) {
        let object = try JSON(
            body: body, known: Self.keys, example: "{\"frame\":\"0:123\"}, or {} for this moment")
        tap = try Self.tap(object)
        settings = usual
        if let quality: PhotoQuality = try Self.choice("quality", of: object) {
            if quality != settings.quality { (settings.frames, settings.laterFrames) = (nil, 0) }
            settings.quality = quality
        }
        if let format: StillFormat = try Self.choice("format", of: object) { settings.format = format }
        if let reference: ReferencePolicy = try Self.choice("reference", of: object) { settings.reference = reference }
        if let frames = object["frames"] {
            guard case .integer(let count) = frames, (1...1000).contains(count) else {
                throw Fault(words: "\"frames\" is not a number of frames", hint: "give one from 1 on")
            }
            settings.frames = Int(count)
        }
        if let zoom = object["zoom"] { settings.zoom = try Self.zoom(zoom) }
        if let tag = object["tag"] {
            guard case .string(let text) = tag, text.utf8.count <= 64 else {
                throw Fault(words: "\"tag\" is not a text of at most 64 bytes", hint: "choose a shorter one")
            }
            self.tag = text
        }
    }

    private static func tap(_ object: JSON) throws(Fault) -> Tap {
        let moments = ["frame", "at", "agoMs"].filter { object[$0] != nil }
        guard moments.count <= 1 else {
            throw Fault(words: "\"\(moments[0])\" and \"\(moments[1])\" exclude each other", hint: "give one of them")
        }
        switch (object["frame"], object["at"], object["agoMs"]) {
        case (.string(let text)?, _, _):
            if let id = FrameID(text) { return .frame(id) }
            throw Fault(words: "\"frame\" is not the id of a frame", hint: "ids are such as \"0:123\"")
        case (_, .string(let text)?, _):
            if let time = Int64(text) { return .at(Timestamp(nanoseconds: time)) }
        case (_, .integer(let time)?, _): return .at(Timestamp(nanoseconds: time))
        case (_, _, let ago?):
            if let milliseconds = ago.asDouble, (0...3_600_000).contains(milliseconds) {
                return .offset(.nanoseconds(-Int64(milliseconds * 1e6)))
            }
        case (nil, nil, nil): return .now
        default: break
        }
        throw Fault(
            words: "\"\(moments.first ?? "at")\" is not a moment",
            hint: "give \"frame\" as an id, \"at\" in nanoseconds, or \"agoMs\" in milliseconds")
    }

    private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ key: String, of object: JSON
    ) throws(Fault) -> Choice? {
        guard let value = object[key] else { return nil }
        if case .string(let text) = value, let choice = Choice(rawValue: text) { return choice }
        throw Fault(
            words: "\"\(key)\" has no such value",
            hint: "give one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
    }

    private static func zoom(_ value: JSON) throws(Fault) -> DigitalZoom? {
        if case .null = value { return nil }
        guard let factor = value["factor"]?.asDouble,
            let zoom = DigitalZoom(
                factor: factor, centerX: value["x"]?.asDouble ?? 0.5, centerY: value["y"]?.asDouble ?? 0.5)
        else {
            throw Fault(
                words: "\"zoom\" is not a zoom",
                hint: "give {\"factor\":2,\"x\":0.5,\"y\":0.5}, with a factor from 1 to \(Int(DigitalZoom.greatest))")
        }
        return zoom.factor == 1 ? nil : zoom
    }
}

extension JSON {
    /// The value of a number.
    var asDouble: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    /// The value of a string.
    var asString: String? { if case .string(let text) = self { text } else { nil } }
    /// The value of a whole number.
    var asInteger: Int64? { if case .integer(let number) = self { number } else { nil } }
}
