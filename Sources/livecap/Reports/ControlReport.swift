// SPDX-License-Identifier: MIT
// A camera's controls in words and as JSON.

import Camera
import LivecapIntents

extension [CameraControl] {
    /// All controls, one line each: those with common names first, the others by the driver's names.
    var lines: [String] {
        let common = common
        let covered = Set(common.flatMap { controls(of: $0) }.map(\.id))
        let rows = common.map(row) + filter { !covered.contains($0.id) }.map(row)
        let widths = (0..<2).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let padded = row.dropLast().enumerated().map { column, text in
                text + String(repeating: " ", count: Swift.max(0, widths[column] - text.count))
            }
            return (padded + row.suffix(1)).joined(separator: "  ")
        }
    }

    /// The common names that the camera has.
    private var common: [ControlName] { ControlName.common.filter { !controls(of: $0).isEmpty } }

    private func row(_ name: ControlName) -> [String] {
        guard let control = try? control(named: name) else { return [name.text, "", ""] }
        let value = (try? value(of: name))?.description ?? "?"
        let hasMode = controls(of: name).count > 1
        let now = value == "auto" && hasMode ? control.present.map { "auto (\($0) now)" } ?? value : value
        return [name.text, now, control.terms + (hasMode ? ", or auto" : "")]
    }

    private func row(_ control: CameraControl) -> [String] {
        let lock = control.isInactive ? "; locked now" : ""
        let value = control.present?.description ?? (control.kind == .button ? "" : "?")
        return [control.key, value, (control.isSettable ? control.terms : "cannot be set") + lock]
    }
}

extension CameraControl {
    /// What it accepts, and its default.
    fileprivate var terms: String {
        switch kind {
        case .button, .other: accepted
        default: "\(accepted); default \(described(defaultValue))"
        }
    }

    /// The control for programs. `all` are the camera's.
    func object(among all: [CameraControl]) -> JSON {
        var members: [(String, JSON)] = [
            ("name", .string(name)), ("key", .string(key)),
            ("commonName", all.commonName(of: self).map { .string($0.text) } ?? .null),
            ("id", JSON(id.rawValue)), ("kind", .string(kind.name)),
            ("minimum", .integer(minimum)), ("maximum", .integer(maximum)), ("step", JSON(step)),
            ("default", .integer(defaultValue)), ("value", value.map(JSON.integer) ?? .null),
            ("inactive", .bool(isInactive)), ("lockedBy", all.lock(of: self).map { .string($0.key) } ?? .null),
            ("readOnly", .bool(isReadOnly)),
        ]
        if case .menu(let items) = kind {
            members.append(
                ("items", .object(items.sorted { $0.key < $1.key }.map { ("\($0.key)", .string($0.value)) })))
        }
        return .object(members)
    }
}
