// SPDX-License-Identifier: MIT
// A camera's controls: exposure, gain, white balance and any others its driver lists.

import Glibc
import LivecapCV4L2
import LivecapFrames

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
        guard case .menu(let items) = self else { return try fields.encode("\(self)", forKey: .kind) }
        try fields.encode("menu", forKey: .kind)
        try fields.encode(Dictionary(uniqueKeysWithValues: items.map { ("\($0)", $1) }), forKey: .items)
    }
}

extension V4L2Device {
    /// All controls with their current values: `VIDIOC_QUERY_EXT_CTRL`, `VIDIOC_G_EXT_CTRLS`, `VIDIOC_QUERYMENU`.
    func controls() -> [CameraControl] {
        var controls: [CameraControl] = []
        var next: UInt32 = 0
        let skip = UInt32(V4L2_CTRL_FLAG_NEXT_CTRL)
        // Bounded, in case a driver lists controls without end.
        while controls.count < 512 {
            var raw = v4l2_query_ext_ctrl()
            raw.id = next | skip
            guard cv4l2_query_ext_ctrl(descriptor, &raw) == 0, raw.id > next else { break }
            next = raw.id
            let isDisabled = raw.flags & UInt32(V4L2_CTRL_FLAG_DISABLED) != 0
            if isDisabled || raw.type == V4L2_CTRL_TYPE_CTRL_CLASS.rawValue { continue }
            controls.append(control(raw))
        }
        return controls
    }

    private func control(_ raw: v4l2_query_ext_ctrl) -> CameraControl {
        let kind: CameraControl.Kind =
            switch v4l2_ctrl_type(raw.type) {
            case V4L2_CTRL_TYPE_INTEGER, V4L2_CTRL_TYPE_BITMASK: .integer
            case V4L2_CTRL_TYPE_INTEGER64: .integer64
            case V4L2_CTRL_TYPE_BOOLEAN: .boolean
            case V4L2_CTRL_TYPE_MENU, V4L2_CTRL_TYPE_INTEGER_MENU: .menu(menu(raw))
            case V4L2_CTRL_TYPE_BUTTON: .button
            default: .other
            }
        var value: Int64 = 0
        let isReadable =
            kind != .button && kind != .other && raw.flags & UInt32(V4L2_CTRL_FLAG_WRITE_ONLY) == 0
            && cv4l2_get_control(descriptor, raw.id, kind == .integer64, &value) == 0
        return CameraControl(
            id: .init(rawValue: raw.id), name: string(raw.name), kind: kind, minimum: raw.minimum, maximum: raw.maximum,
            step: raw.step,
            defaultValue: raw.default_value, value: isReadable ? value : nil,
            isInactive: raw.flags & UInt32(V4L2_CTRL_FLAG_INACTIVE | V4L2_CTRL_FLAG_GRABBED) != 0,
            isReadOnly: raw.flags & UInt32(V4L2_CTRL_FLAG_READ_ONLY) != 0)
    }

    private func menu(_ raw: v4l2_query_ext_ctrl) -> [Int64: String] {
        var items: [Int64: String] = [:]
        guard raw.minimum >= 0, raw.maximum >= raw.minimum, raw.maximum - raw.minimum < 256 else { return items }
        for index in raw.minimum...raw.maximum {
            var item = v4l2_querymenu()
            item.id = raw.id
            item.index = UInt32(index)
            guard cv4l2_querymenu(descriptor, &item) == 0 else { continue }
            items[index] = raw.type == V4L2_CTRL_TYPE_MENU.rawValue ? string(item.name) : "\(item.value)"
        }
        return items
    }

    /// The exposure time of frames, if it is set manually. The value reported by an automatic mode is not a bound,
    /// because it keeps changing.
    var exposure: Duration? {
        var (mode, units): (Int64, Int64) = (0, 0)
        let hasMode = cv4l2_get_control(descriptor, exposureMode, false, &mode) == 0
        guard cv4l2_get_control(descriptor, exposureUnits, false, &units) == 0 else { return nil }
        return Self.exposure(mode: hasMode ? mode : nil, units: units)
    }

    /// The exposure time from the controls' values. A camera without modes is always manual.
    static func exposure(mode: Int64?, units: Int64) -> Duration? {
        let isByHand = mode.map { [1, 2].contains($0) } ?? true
        // A stream's exposure cannot exceed a minute.
        guard isByHand, (1...600_000).contains(units) else { return nil }
        return .microseconds(100 * units)
    }

    /// Sets a control: `VIDIOC_S_EXT_CTRLS`.
    func set(_ id: UInt32, to value: Int64, is64Bit: Bool = false) throws(CameraError) {
        try check(cv4l2_set_control(descriptor, id, is64Bit, value), "VIDIOC_S_EXT_CTRLS")
    }
}

// From `linux/v4l2-controls.h`; Swift does not import constants defined as sums. Mode 1 is manual and mode 2 is shutter
// priority.
private let exposureMode: UInt32 = 0x009A_0901
/// V4L2_CID_EXPOSURE_ABSOLUTE, in units of 100 microseconds.
private let exposureUnits: UInt32 = 0x009A_0902
