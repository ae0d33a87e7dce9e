// SPDX-License-Identifier: MIT
// What a control is to be set to.

import LivecapFrames

/// A value for a control, before it is known what the control accepts.
public enum ControlValue: Hashable, Codable, Sendable {
    /// The camera decides by itself.
    case automatic
    /// The camera's default.
    case standard
    /// A number, in the control's unit.
    case number(Int64)
    /// A time, for the exposure.
    case duration(Duration)
    /// An item of a menu by its name, or `on` or `off`.
    case word(String)

    /// The value that `text` says: `auto`, `default`, a number, a time such as `10ms` or `1/100s`, `on`, `off`, or an
    /// item of a menu. Nil if it is empty.
    public init?(_ text: String) {
        switch text.lowercased() {
        case "": return nil
        case "auto", "automatic": self = .automatic
        case "default": self = .standard
        default:
            if let number = Int64(text) {
                self = .number(number)
            } else if let hexadecimal = text.lowercased().hexadecimal {
                self = .number(hexadecimal)
            } else if let duration = text.exposureTime {
                self = .duration(duration)
            } else {
                self = .word(text)
            }
        }
    }
}

extension ControlValue: CustomStringConvertible {
    /// As `init(_:)` reads it.
    public var description: String {
        switch self {
        case .automatic: "auto"
        case .standard: "default"
        case .number(let number): "\(number)"
        case .duration(let time): time.asExposure
        case .word(let word): word
        }
    }
}

/// A control and its value: one `--set`.
public struct ControlSetting: Hashable, Codable, Sendable {
    /// Which control is set.
    public var name: ControlName
    /// What it is set to.
    public var value: ControlValue

    /// Sets `name` to `value`.
    public init(_ name: ControlName, _ value: ControlValue) { (self.name, self.value) = (name, value) }

    /// The setting that `text` says, as in `exposure=10ms`; nil if it has no name or no value.
    public init?(_ text: String) {
        guard let sign = text.firstIndex(of: "="), let value = ControlValue(text[text.index(after: sign)...].trimmed)
        else { return nil }
        let name = text[..<sign].trimmed
        guard !name.asControlKey.isEmpty else { return nil }
        self.init(ControlName(name), value)
    }
}

extension ControlSetting: CustomStringConvertible {
    /// Such as `exposure=10ms`.
    public var description: String { "\(name)=\(value)" }
}

extension Substring {
    /// The text without spaces around it.
    fileprivate var trimmed: String {
        var text = self
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}

extension String {
    /// The number after `0x`.
    var hexadecimal: Int64? { hasPrefix("0x") ? Int64(dropFirst(2), radix: 16) : nil }

    /// A time of exposure: `10ms`, `1.5s`, `500us`, `1/100`, `1/100s`.
    fileprivate var exposureTime: Duration? {
        let text = lowercased()
        if text.contains("/") {
            let parts = (text.hasSuffix("s") ? text.dropLast() : text[...]).split(
                separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 2, let counter = Double(parts[0]), let divisor = Double(parts[1]) else { return nil }
            return Self.duration(seconds: counter / divisor)
        }
        for (unit, scale) in [("ms", 1e-3), ("us", 1e-6), ("µs", 1e-6), ("s", 1.0)] where text.hasSuffix(unit) {
            return Double(text.dropLast(unit.count)).flatMap { Self.duration(seconds: $0 * scale) }
        }
        return nil
    }

    /// No exposure takes an hour.
    private static func duration(seconds: Double) -> Duration? {
        (1e-9...3600).contains(seconds) ? .nanoseconds(Int64((seconds * 1e9).rounded())) : nil
    }
}

extension Duration {
    /// Such as `10ms`, `0.1ms` or `20s`.
    var asExposure: String {
        let isLong = nanoseconds >= 1_000_000_000
        let text = "\(Double(nanoseconds / 100) / (isLong ? 10_000_000 : 10_000))"
        return (text.hasSuffix(".0") ? String(text.dropLast(2)) : text) + (isLong ? "s" : "ms")
    }
}
