// SPDX-License-Identifier: MIT
// What a control accepts, and its values as people and programs write them.

import LivecapFrames

extension CameraControl {
    /// Its present value as `ControlSetting` takes it; nil if it cannot be read.
    public var present: ControlValue? { value.map(described) }

    /// A value of this control as `ControlSetting` takes it.
    public func described(_ value: Int64) -> ControlValue {
        switch kind {
        case .menu(let items):
            items[value].map { text in Int64(text).map(ControlValue.number) ?? .word(text.asControlKey) }
                ?? .number(value)
        case .boolean: .word(value == 0 ? "off" : "on")
        default: id == ControlRole.exposure.id ? .duration(ControlRole.exposureUnit * value) : .number(value)
        }
    }

    /// What it accepts, for people.
    public var accepted: String {
        switch kind {
        case .boolean: return "on or off"
        case .menu(let items): return items.keys.sorted().map { "\(described($0))" }.joined(separator: ", ")
        case .button: return "press"
        case .other: return "nothing that livecap can set"
        case .integer, .integer64:
            let range = "\(described(minimum)) to \(described(maximum))"
            return step > 1 ? "\(range) in steps of \(step)" : range
        }
    }

    /// Whether it can have that value.
    func accepts(_ value: Int64) -> Bool {
        if case .menu(let items) = kind { return items[value] != nil }
        return (minimum...max(minimum, maximum)).contains(value)
    }

    /// The number that a setting means. Numbers between two steps are rounded.
    func value(for setting: ControlSetting) throws(ControlError) -> Int64 {
        guard isSettable else { throw .readOnly(setting.name.text) }
        if case .standard = setting.value, kind != .button { return defaultValue }
        switch kind {
        case .menu(let items): return try item(of: items, for: setting)
        case .boolean: return try flag(for: setting)
        case .button:
            guard case .word(let word) = setting.value, word.lowercased() == "press" else { throw bad(setting) }
            return 1
        case .integer, .integer64, .other: return try number(for: setting)
        }
    }

    private func bad(_ setting: ControlSetting) -> ControlError {
        .badValue(setting.name.text, value: "\(setting.value)", accepted: "it can be \(accepted)")
    }

    private func number(for setting: ControlSetting) throws(ControlError) -> Int64 {
        switch setting.value {
        case .number(let number):
            guard accepts(number) else { throw bad(setting) }
            // A plain number of an exposure is meant in seconds by some, in V4L2's unit by others.
            if id == ControlRole.exposure.id, ControlRole.named(setting.name)?.id == id {
                throw .badValue(
                    setting.name.text, value: "\(number)",
                    accepted: "say the unit, as in \(setting.name)=10ms; or set \(key), which counts in 0.1ms")
            }
            return rounded(number)
        case .duration(let time):
            let units = (time / ControlRole.exposureUnit).rounded()
            guard id == ControlRole.exposure.id, let units = Int64(exactly: units), accepts(units) else {
                throw bad(setting)
            }
            return rounded(units)
        case .automatic: throw .notAutomatic(setting.name.text)
        case .word, .standard: throw bad(setting)
        }
    }

    private func flag(for setting: ControlSetting) throws(ControlError) -> Int64 {
        switch setting.value {
        case .number(let number) where accepts(number): return number
        case .word(let word):
            switch word.lowercased() {
            case "on", "yes", "true": return 1
            case "off", "no", "false": return 0
            default: throw bad(setting)
            }
        case .automatic:
            guard let mode, let automatic = mode.automatic.first(where: accepts) else {
                throw .notAutomatic(setting.name.text)
            }
            return automatic
        case .number, .duration, .standard: throw bad(setting)
        }
    }

    private func item(of items: [Int64: String], for setting: ControlSetting) throws(ControlError) -> Int64 {
        let numbers = items.keys.sorted()
        switch setting.value {
        case .automatic:
            let called = numbers.first { items[$0]!.asControlKey.hasPrefix("auto") }
            guard let item = mode?.automatic.first(where: accepts) ?? called else {
                throw .notAutomatic(setting.name.text)
            }
            return item
        case .number(let number):
            // Items that are numbers are meant by what they say, others by their place.
            let isOfNumbers = items.values.allSatisfy { Int64($0) != nil }
            if isOfNumbers, let item = numbers.first(where: { Int64(items[$0]!) == number }) { return item }
            if !isOfNumbers, accepts(number) { return number }
            // As in "50" for "50 Hz".
            let said = numbers.filter { place in
                let rest = items[place]!.lowercased().dropFirst("\(number)".count)
                return items[place]!.hasPrefix("\(number)") && rest.first?.isNumber != true
            }
            guard !isOfNumbers, said.count == 1 else { throw bad(setting) }
            return said[0]
        case .word(let word):
            // "60 Hz" is "60hz", too.
            let wish = word.asControlKey.filter { $0 != "_" }
            guard !wish.isEmpty else { throw bad(setting) }
            let names = items.mapValues { $0.asControlKey.filter { $0 != "_" } }
            let found = numbers.filter { names[$0] == wish }
            let begun = wish.allSatisfy(\.isNumber) ? [] : numbers.filter { names[$0]!.hasPrefix(wish) }
            guard let item = found.first ?? (begun.count == 1 ? begun[0] : nil) else { throw bad(setting) }
            return item
        case .duration, .standard: throw bad(setting)
        }
    }

    /// What it switches, if it is a mode.
    private var mode: ControlRole.Mode? { ControlRole.all.first { $0.mode?.id == id }?.mode }

    /// The nearest value that steps lead to. Ranges of other kinds than 32 bits are the driver's to round.
    private func rounded(_ value: Int64) -> Int64 {
        guard kind == .integer, step > 1, step <= UInt64(Int32.max), minimum >= Int64(Int32.min) else { return value }
        let step = Int64(step)
        let rounded = minimum + (value - minimum + step / 2) / step * step
        return rounded > maximum ? rounded - step : rounded
    }
}
