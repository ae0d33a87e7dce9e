// SPDX-License-Identifier: MIT
// Cameras and their controls in words and as JSON.

import Camera
import LivecapFrames
import LivecapJSONText

extension CameraRecord {
    /// The camera in words, one line each.
    var lines: [String] {
        var lines = ["\(path)  \(name)", "  id: \(identity)"]
        if isTiedToPort {
            lines.append("  this id is that of its port, because it has no serial number of its own")
        }
        if !bus.isEmpty { lines.append("  at: \(bus), driver \(driver)") }
        let facts = [kind?.inWords, position.inWords].compactMap(\.self)
        if !facts.isEmpty { lines.append("  kind: \(facts.joined(separator: ", "))") }
        if !users.isEmpty { lines.append("  in use by: \(users.map(\.description).joined(separator: ", "))") }
        if let trouble {
            lines += ["  cannot be used: \(trouble.message)", "  hint: \(Hints.hint(trouble))"]
        }
        if !presets.isEmpty { lines.append("  presets: \(presets.map(\.rawValue).joined(separator: ", "))") }
        if !offers.isEmpty { lines.append("  formats:") }
        for offer in offers {
            let rates = offer.rates.map(\.description).joined(separator: ", ")
            lines.append("    \(offer.pixelFormat) \(offer.size)\(rates.isEmpty ? "" : " at \(rates) fps")")
        }
        if !controls.isEmpty { lines.append("  controls:") }
        return lines + controls.map { "    \($0.inWords)" }
    }

    /// The camera for programs.
    var object: JSON { .object(members) }

    /// The members of that object.
    var members: [(String, JSON)] {
        let formats = offers.map { offer in
            JSON.object([
                ("format", .string("\(offer.pixelFormat)")), ("width", JSON(offer.size.width)),
                ("height", JSON(offer.size.height)), ("fps", .array(offer.rates.map { .number($0.framesPerSecond) })),
            ])
        }
        let users = users.map { JSON.object([("name", .string($0.name)), ("pid", .integer(Int64($0.pid)))]) }
        var members: [(String, JSON)] = [
            ("id", .string(identity)), ("idIsOfPort", .bool(isTiedToPort)), ("path", .string(path)),
            ("name", .string(name)), ("kind", kind.map { .string($0.rawValue) } ?? .null), ("bus", .string(bus)),
            ("position", .string(position.rawValue)), ("driver", .string(driver)), ("usedBy", .array(users)),
            ("presets", .array(presets.map { .string($0.rawValue) })),
            ("features", .array(features.map { .string($0.rawValue) })), ("formats", .array(formats)),
            ("controls", .array(controls.map(\.object))),
        ]
        if let trouble {
            members += [
                ("error", .string(trouble.message)), ("code", .string(trouble.code)),
                ("hint", .string(Hints.hint(trouble))),
            ]
        }
        return members
    }
}

extension CameraKind {
    fileprivate var inWords: String {
        switch self {
        case .color: "colour"
        case .infrared: "infrared"
        case .depth: "depth"
        }
    }
}

extension CameraPosition {
    /// Nil if it is unknown.
    fileprivate var inWords: String? {
        switch self {
        case .external: "external"
        case .builtIn: "built in"
        case .unknown: nil
        }
    }
}

extension CameraControl {
    /// Name, value and range on one line.
    fileprivate var inWords: String {
        let now = value.map(\.description) ?? "?"
        let described: String =
            switch kind {
            case .integer, .integer64: "\(now) (from \(minimum) to \(maximum), usually \(defaultValue))"
            case .boolean: value.map { $0 == 0 ? "off" : "on" } ?? "?"
            case .menu(let items): value.flatMap { items[$0] } ?? now
            case .button: "a button"
            case .other: "of a kind that livecap does not set"
            }
        return "\(name): \(described)\(isInactive ? ", locked now" : "")\(isReadOnly ? ", read only" : "")"
    }

    fileprivate var object: JSON {
        var members: [(String, JSON)] = [
            ("name", .string(name)), ("id", JSON(id.rawValue)), ("kind", .string(kindName)),
            ("minimum", .integer(minimum)),
            ("maximum", .integer(maximum)), ("step", JSON(step)), ("default", .integer(defaultValue)),
            ("value", value.map(JSON.integer) ?? .null), ("inactive", .bool(isInactive)),
            ("readOnly", .bool(isReadOnly)),
        ]
        if case .menu(let items) = kind {
            members.append(
                ("items", .object(items.sorted { $0.key < $1.key }.map { ("\($0.key)", .string($0.value)) })))
        }
        return .object(members)
    }

    private var kindName: String {
        switch kind {
        case .integer: "integer"
        case .integer64: "integer64"
        case .boolean: "boolean"
        case .menu: "menu"
        case .button: "button"
        case .other: "other"
        }
    }
}
