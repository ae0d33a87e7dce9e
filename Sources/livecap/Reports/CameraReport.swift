// SPDX-License-Identifier: MIT
// Cameras and their controls in words and as JSON.

import Camera
import LivecapFrames
import LivecapIntents
import LivecapSharing
import LivecapSound

extension CameraRecord {
    /// Its own among the microphones: those of the same physical device.
    private func own(_ microphones: [Microphone]) -> [Microphone] { microphones.filter { $0.place == device } }

    /// The camera in words, one line each. Its own among the microphones are named with it.
    func lines(with microphones: [Microphone] = []) -> [String] {
        var lines = ["\(path)  \(name)", "  id: \(identity)"]
        if isTiedToPort {
            lines.append("  this id is that of its port, because it has no serial number of its own")
        }
        if !bus.isEmpty { lines.append("  at: \(bus), driver \(driver)") }
        let facts = [kind?.inWords, position.inWords].compactMap(\.self)
        if !facts.isEmpty { lines.append("  kind: \(facts.joined(separator: ", "))") }
        if isSuspended { lines.append("  suspended: its privacy switch is closed, so its pictures are black") }
        for microphone in own(microphones) { lines.append("  microphone: \(microphone.id)") }
        if mount != .upright { lines.append("  mounted: pictures are \(mount.inWords)") }
        if !users.isEmpty { lines.append("  in use by: \(users.map(\.description).joined(separator: ", "))") }
        if let trouble {
            lines += ["  problem: \(trouble.message)", "  hint: \(Hints.hint(trouble))"]
        }
        if !presets.isEmpty { lines.append("  presets: \(presets.map(\.rawValue).joined(separator: ", "))") }
        if !offers.isEmpty { lines.append("  formats:") }
        for offer in offers {
            let rates = offer.rates.map(\.description).joined(separator: ", ")
            lines.append("    \(offer.pixelFormat) \(offer.size)\(rates.isEmpty ? "" : " at \(rates) fps")")
        }
        if !controls.isEmpty { lines.append("  controls:") }
        return lines + controls.lines.map { "    \($0)" }
    }

    /// How it is mounted, according to the user.
    private var mount: CameraMount { CameraMounts.standard?.read().mount(of: identity) ?? .upright }

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
            ("sharedBy", RunningHost.all.first { $0.source.identity == identity }.map { JSON(Int($0.pid)) } ?? .null),
            ("suspended", .bool(isSuspended)),
            ("microphones", .array(own(Microphones().all()).map { .string($0.id) })),
            ("mount", .object([("angle", JSON(mount.angle.degrees)), ("mirrored", .bool(mount.isMirrored))])),
            ("presets", .array(presets.map { .string($0.rawValue) })),
            ("features", .array(features.map { .string($0.rawValue) })), ("formats", .array(formats)),
            ("controls", .array(controls.map { $0.object(among: controls) })),
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

extension CameraMount {
    /// What is done to pictures: "mirrored and turned by 90°".
    var inWords: String {
        switch (isMirrored, angle) {
        case (false, .none): "left as they are"
        case (true, .none): "mirrored"
        case (false, _): "turned by \(angle)"
        case (true, _): "mirrored and turned by \(angle)"
        }
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
