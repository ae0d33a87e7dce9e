// SPDX-License-Identifier: MIT
// What a control accepts, and its values as people and programs write them.

import LivecapFrames

extension CameraControl {
    /// Its present value as `ControlSetting` takes it; nil if it cannot be read.
    public var present: ControlValue? { value.map(described) }

    /// A value of this control as `ControlSetting` takes it.
    public func described(_ value: Int64) -> ControlValue {
        switch kind {
        case .menu(let items): items[value].map { .word($0.asControlKey) } ?? .number(value)
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
        let bad = ControlError.badValue(
            setting.name.text, value: "\(setting.value)", accepted: "it can be \(accepted)")
        switch (setting.value, kind) {
        case (_, .button): return 1
        case (.standard, _): return defaultValue
        case (.automatic, .menu(let items)):
            guard let item = items.keys.sorted().first(where: { items[$0]!.asControlKey.hasPrefix("auto") }) else {
                throw .notAutomatic(setting.name.text)
            }
            return item
        case (.automatic, .boolean): return 1
        case (.automatic, _): throw .notAutomatic(setting.name.text)
        case (.number(let number), .menu) where !accepts(number):
            return try value(for: ControlSetting(setting.name, .word("\(number)")))
        case (.number(let number), _):
            guard accepts(number) else { throw bad }
            // A plain number of an exposure is meant in seconds by some, in V4L2's unit by others.
            if ControlRole.named(setting.name)?.id == ControlRole.exposure.id {
                throw .badValue(
                    setting.name.text, value: "\(number)",
                    accepted: "say the unit, as in \(setting.name)=10ms; or set \(key), which counts in 0.1ms")
            }
            return rounded(number)
        case (.duration(let time), _):
            let unit = ControlRole.exposureUnit.nanoseconds
            let units = max(1, (time.nanoseconds + unit / 2) / unit)
            guard id == ControlRole.exposure.id, accepts(units) else { throw bad }
            return rounded(units)
        case (.word(let word), .boolean):
            switch word.lowercased() {
            case "on", "yes", "true": return 1
            case "off", "no", "false": return 0
            default: throw bad
            }
        case (.word(let word), .menu(let items)):
            // "60 Hz" is "60hz", too.
            let wish = word.asControlKey.filter { $0 != "_" }
            let names = items.mapValues { $0.asControlKey.filter { $0 != "_" } }
            let found = names.filter { $0.value == wish }.keys.sorted()
            let begun = names.filter { $0.value.hasPrefix(wish) }.keys.sorted()
            guard let item = found.first ?? (begun.count == 1 ? begun[0] : nil) else { throw bad }
            return item
        case (.word, _): throw bad
        }
    }

    /// The nearest value that steps lead to.
    private func rounded(_ value: Int64) -> Int64 {
        guard step > 1, step <= UInt64(Int64.max), case .integer = kind else { return value }
        let step = Int64(step)
        let rounded = minimum + (value - minimum + step / 2) / step * step
        return rounded > maximum ? rounded - step : rounded
    }
}
