// SPDX-License-Identifier: MIT
// The keys and buttons of input devices, by number and by name.

/// A key or button of an input device, identified by its number in `linux/input-event-codes.h`.
public struct InputKey: Hashable, Codable, Sendable, CustomStringConvertible {
    /// The kernel's number of the key.
    public let code: UInt16

    /// The maximum number of a key (KEY_MAX).
    package static let highestCode: UInt16 = 0x2FF

    /// Creates the key with this number; nil if it is out of range.
    public init?(code: UInt16) {
        guard code <= Self.highestCode else { return nil }
        self.code = code
    }

    /// Creates a key from its name ("KEY_CAMERA", "btn_left", "camera") or number in digits; nil if it is unknown.
    public init?(_ name: String) {
        if let code = UInt16(name) {
            self.init(code: code)
            return
        }
        let upper = name.uppercased()
        guard let known = Self.names.first(where: { upper == $0.name || "KEY_\(upper)" == $0.name }) else { return nil }
        self.init(code: known.code)
    }

    /// Its usual name or, if it has none, its number.
    public var name: String { Self.names.first { $0.code == code }?.name ?? "key \(code)" }

    /// The same as `name`.
    public var description: String { name }

    /// All known names.
    public static var knownNames: [String] { names.map(\.name) }

    /// If a key has several names, the first is used to print it.
    private static let names: [(name: String, code: UInt16)] = [
        ("KEY_ESC", 1), ("KEY_ENTER", 28), ("KEY_SPACE", 57), ("KEY_TAB", 15), ("KEY_BACKSPACE", 14),
        ("KEY_LEFTCTRL", 29), ("KEY_LEFTSHIFT", 42), ("KEY_LEFTALT", 56), ("KEY_RIGHTCTRL", 97),
        ("KEY_RIGHTSHIFT", 54), ("KEY_RIGHTALT", 100), ("KEY_KPENTER", 96), ("KEY_SYSRQ", 99),
        ("KEY_F1", 59), ("KEY_F2", 60), ("KEY_F3", 61), ("KEY_F4", 62), ("KEY_F5", 63), ("KEY_F6", 64),
        ("KEY_F7", 65), ("KEY_F8", 66), ("KEY_F9", 67), ("KEY_F10", 68), ("KEY_F11", 87), ("KEY_F12", 88),
        ("KEY_UP", 103), ("KEY_PAGEUP", 104), ("KEY_LEFT", 105), ("KEY_RIGHT", 106), ("KEY_DOWN", 108),
        ("KEY_PAGEDOWN", 109), ("KEY_MUTE", 113), ("KEY_VOLUMEDOWN", 114), ("KEY_VOLUMEUP", 115),
        ("KEY_POWER", 116), ("KEY_NEXTSONG", 163), ("KEY_PLAYPAUSE", 164), ("KEY_PREVIOUSSONG", 165),
        ("KEY_RECORD", 167), ("KEY_CAMERA", 212), ("KEY_CAMERA_FOCUS", 0x210), ("KEY_OK", 0x160),
        ("KEY_SELECT", 0x161), ("BTN_LEFT", 0x110), ("BTN_MOUSE", 0x110), ("BTN_RIGHT", 0x111),
        ("BTN_MIDDLE", 0x112), ("BTN_SIDE", 0x113), ("BTN_EXTRA", 0x114), ("BTN_TRIGGER", 0x120),
        ("BTN_SOUTH", 0x130), ("BTN_A", 0x130), ("BTN_EAST", 0x131), ("BTN_B", 0x131), ("BTN_START", 0x13B),
        ("BTN_TOUCH", 0x14A), ("BTN_STYLUS", 0x14B), ("BTN_0", 0x100), ("BTN_1", 0x101),
    ]

    /// Whether the key reports a tool or the number of fingers on a pad instead of a press: BTN_TOOL_PEN to
    /// BTN_STYLUS3, BTN_TOOL_DOUBLETAP to BTN_TOOL_QUADTAP.
    var isTool: Bool { (0x140...0x149).contains(code) || (0x14D...0x14F).contains(code) }
}

/// A set of keys, such as those that exist or are down. One bit per key, as provided by the kernel.
package struct InputKeySet: Hashable, Sendable {
    /// The size of the kernel's bit field in bytes.
    package static let byteCount = Int(InputKey.highestCode) / 8 + 1

    private var bits = [UInt8](repeating: 0, count: byteCount)

    /// Creates an empty set.
    package init() {}

    /// Creates the set of keys whose bits are set. Missing bytes count as zero.
    package init(bits: [UInt8]) {
        for (index, byte) in bits.prefix(Self.byteCount).enumerated() { self.bits[index] = byte }
    }

    /// Whether the set is empty.
    package var isEmpty: Bool { bits.allSatisfy { $0 == 0 } }

    /// Whether the set contains the key.
    package subscript(key: InputKey) -> Bool {
        get { bits[Int(key.code >> 3)] & 1 << (key.code & 7) != 0 }
        set {
            let bit = UInt8(1) << (key.code & 7)
            if newValue { bits[Int(key.code >> 3)] |= bit } else { bits[Int(key.code >> 3)] &= ~bit }
        }
    }

    /// The keys in the set, ordered by number.
    package var keys: [InputKey] {
        (0...InputKey.highestCode).compactMap { code in InputKey(code: code).flatMap { self[$0] ? $0 : nil } }
    }
}
