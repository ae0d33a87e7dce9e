// SPDX-License-Identifier: MIT
// One control of a camera, as its driver describes it.

/// One control of a camera.
public struct CameraControl: Hashable, Codable, Sendable {
    /// The kind of value a control takes.
    public enum Kind: Hashable, Sendable {
        /// A number of 32 bits.
        case integer
        /// A number of 64 bits.
        case integer64
        /// On or off, as 1 or 0.
        case boolean
        /// One of the named (or numbered) items.
        case menu([Int64: String])
        /// Triggers an action when set; has no value.
        case button
        /// A kind that livecap shows but does not set.
        case other
    }

    /// V4L2's number of a control.
    public struct ID: RawRepresentable, Hashable, Codable, Sendable {
        /// The number, as in `linux/v4l2-controls.h`.
        public let rawValue: UInt32
        /// The control with that number.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// V4L2_CID_PRIVACY.
        static let privacy = Self(rawValue: 0x9A_0910)
        /// V4L2_CID_MPEG_VIDEO_FORCE_KEY_FRAME.
        static let keyFrame = Self(rawValue: 0x99_09E5)
    }

    /// V4L2's number of the control.
    public let id: ID
    /// The name given by the driver.
    public let name: String
    /// The kind of value it takes.
    public let kind: Kind
    /// The minimum value.
    public let minimum: Int64
    /// The maximum value.
    public let maximum: Int64
    /// The distance between valid values.
    public let step: UInt64
    /// The default value.
    public let defaultValue: Int64
    /// The current value; nil if it cannot be read.
    public let value: Int64?
    /// Whether the control is currently locked, usually by an automatic mode.
    public let isInactive: Bool
    /// Whether the control cannot be set.
    public let isReadOnly: Bool
}

extension CameraControl.Kind: Codable {
    private enum Key: String, CodingKey { case kind, items }

    /// Decodes the name of the case, with the items of a menu. Throws `DecodingError` for anything else.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        switch try fields.decode(String.self, forKey: .kind) {
        case "integer": self = .integer
        case "integer64": self = .integer64
        case "boolean": self = .boolean
        case "button": self = .button
        case "other": self = .other
        case "menu":
            let items = try fields.decode([String: String].self, forKey: .items).map { (Int64($0), $1) }
            guard items.allSatisfy({ $0.0 != nil }) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .items, in: fields, debugDescription: "the items of a menu have numbers")
            }
            self = .menu(Dictionary(items.map { ($0!, $1) }) { first, _ in first })
        case let name:
            throw DecodingError.dataCorruptedError(
                forKey: .kind, in: fields, debugDescription: "there is no kind '\(name)'")
        }
    }

    /// Encodes the name of the case, with the items of a menu.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Key.self)
        try fields.encode(name, forKey: .kind)
        guard case .menu(let items) = self else { return }
        try fields.encode(Dictionary(uniqueKeysWithValues: items.map { ("\($0)", $1) }), forKey: .items)
    }
}

extension CameraControl.Kind {
    /// The name of the case.
    package var name: String {
        switch self {
        case .integer: "integer"
        case .integer64: "integer64"
        case .boolean: "boolean"
        case .menu: "menu"
        case .button: "button"
        case .other: "other"
        }
    }
}

extension CameraControl {
    /// The name in lower case, with underscores for all else: "exposure_time_absolute", as other programs for V4L2
    /// write it.
    public var key: String { name.asControlKey }

    /// The same control with another value.
    func with(_ value: Int64?, isInactive: Bool? = nil) -> CameraControl {
        CameraControl(
            id: id, name: name, kind: kind, minimum: minimum, maximum: maximum, step: step, defaultValue: defaultValue,
            value: value, isInactive: isInactive ?? self.isInactive, isReadOnly: isReadOnly)
    }

    /// Whether it can be set at all; a locked control can be, once it is unlocked.
    public var isSettable: Bool { !isReadOnly && kind != .other }
}

extension String {
    /// The text in lower case, with one underscore for every run of other characters than letters and digits.
    var asControlKey: String {
        lowercased().split { !$0.isASCII || !($0.isLetter || $0.isNumber) }.joined(separator: "_")
    }
}
