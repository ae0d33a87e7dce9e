// SPDX-License-Identifier: MIT
// `livecap devices`: lists the cameras, what they deliver, and their controls.

import Camera
import CommandTable
import LivecapFrames
import LivecapJSONText

enum DevicesCommand {
    private static let json = Flag("json", help: "Print one JSON object per camera")

    static let verb = Verb(
        command: Command(
            "devices", summary: "list cameras, what they deliver and their controls",
            discussion: """
                The preferred camera, which is used when none is named, comes first. With --json, each camera is an object \
                with id, path, name, bus, driver, formats and controls.
                """,
            groups: [OptionGroup("Options", [json])],
            examples: [
                Example("livecap devices", "all cameras"),
                Example("livecap devices --json", "the same for programs"),
            ])
    ) { arguments, console throws(Failure) in try list(&console) }

    /// Lists the cameras. If there are none, that is no failure: programs get no object, and people get a note.
    static func list(_ console: inout Console) throws(Failure) -> Int32 {
        let cameras = CameraDirectory().cameras()
        for (index, camera) in cameras.enumerated() {
            if console.writesJSON {
                try console.print(object(camera))
            } else {
                if index > 0 { try console.print("") }
                try describe(camera, &console)
            }
        }
        if cameras.isEmpty {
            let error = CameraError.noSuchDevice("auto", available: [])
            Console.note("livecap: \(error.message)")
            Console.note("  hint: \(Hints.hint(error))")
        }
        return 0
    }

    private static func describe(_ camera: CameraRecord, _ console: inout Console) throws(Failure) {
        try console.print("\(camera.path)  \(camera.name)")
        try console.print("  id: \(camera.identity)")
        if !camera.bus.isEmpty { try console.print("  at: \(camera.bus), driver \(camera.driver)") }
        if let trouble = camera.trouble {
            try console.print("  cannot be used: \(trouble.message)")
            try console.print("  hint: \(Hints.hint(trouble))")
        }
        if !camera.offers.isEmpty { try console.print("  formats:") }
        for offer in camera.offers {
            let rates = offer.rates.map(\.description).joined(separator: ", ")
            try console.print("    \(offer.pixelFormat) \(offer.size)\(rates.isEmpty ? "" : " at \(rates) fps")")
        }
        if !camera.controls.isEmpty { try console.print("  controls:") }
        for control in camera.controls { try console.print("    \(control.inWords)") }
    }

    private static func object(_ camera: CameraRecord) -> JSON {
        let formats = camera.offers.map { offer in
            JSON.object([
                ("format", .string("\(offer.pixelFormat)")), ("width", JSON(offer.size.width)),
                ("height", JSON(offer.size.height)), ("fps", .array(offer.rates.map { .number($0.framesPerSecond) })),
            ])
        }
        var members: [(String, JSON)] = [
            ("id", .string(camera.identity)), ("path", .string(camera.path)), ("name", .string(camera.name)),
            ("bus", .string(camera.bus)), ("driver", .string(camera.driver)), ("formats", .array(formats)),
            ("controls", .array(camera.controls.map(\.object))),
        ]
        if let trouble = camera.trouble {
            members += [
                ("error", .string(trouble.message)), ("code", .string(trouble.code)),
                ("hint", .string(Hints.hint(trouble))),
            ]
        }
        return .object(members)
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
