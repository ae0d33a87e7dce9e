// SPDX-License-Identifier: MIT
// The moment a photo is asked for.

import LivecapFrames

/// The moment a photo is asked for.
public enum Tap: Hashable, Sendable {
    /// The time of the call of `capture`; on a source with its own clock, the moment of the newest frame.
    case now
    /// A time on the source's clock, past or future.
    case at(Timestamp)
    /// A span from now, in the past if negative; on a source with its own clock, from its first frame's time.
    case offset(Duration)
    /// The moment of a frame, such as the one shown on the screen. If that frame is damaged, the photo uses the nearest
    /// usable one and notes it.
    case frame(FrameID)
}

extension Tap: CustomStringConvertible {
    /// Such as `now`, `at 12.5 s`, `-0.25 s from now`, `frame 0:12`.
    public var description: String {
        switch self {
        case .now: "now"
        case .at(let time): "at \(time)"
        case .offset(let span): "\(span.inSeconds) from now"
        case .frame(let id): "frame \(id)"
        }
    }
}

extension Tap: Codable {
    private enum Key: String, CodingKey { case now, at, offset, frame }

    /// Decodes an object with one member: `at`, `offset`, `frame`, or `now`, which is true. Throws `DecodingError` for
    /// anything else.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        guard let key = fields.allKeys.first, fields.allKeys.count == 1 else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "a tap has one moment"))
        }
        switch key {
        case .now: self = .now
        case .at: self = .at(try fields.decode(Timestamp.self, forKey: key))
        case .offset: self = .offset(try fields.decode(Duration.self, forKey: key))
        case .frame: self = .frame(try fields.decode(FrameID.self, forKey: key))
        }
    }

    /// Encodes an object with one member.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Key.self)
        switch self {
        case .now: try fields.encode(true, forKey: .now)
        case .at(let time): try fields.encode(time, forKey: .at)
        case .offset(let span): try fields.encode(span, forKey: .offset)
        case .frame(let id): try fields.encode(id, forKey: .frame)
        }
    }
}
