// SPDX-License-Identifier: MIT
// The part of a picture that is asked for.

import LivecapFrames

/// An enlarged part of a picture.
struct ZoomIntent: Hashable, Sendable {
    var factor = 1.0
    var centerX: Double?
    var centerY: Double?
}

extension ZoomIntent: Intent {
    static let name = "Zoom"
    static let about = "An enlarged part of the picture."
    static let example = #"{"factor":2,"x":0.5,"y":0.5}"#

    static let fields: [IntentField<Self>] = [
        .required(
            "factor", \.factor, .number(1...DigitalZoom.greatest), about: "how many times larger things appear"),
        .optional("x", \.centerX, .number(0...1), about: "its middle, from the left (0) to the right (1)"),
        .optional("y", \.centerY, .number(0...1), about: "its middle, from the top (0) to the bottom (1)"),
    ]
}

extension IntentKind<DigitalZoom> {
    /// A zoom, or null for none.
    static var zoom: Self {
        Self(
            words:
                "a zoom such as \(ZoomIntent.example), with a factor from 1 to \(Int(DigitalZoom.greatest)), or null",
            schema: [
                (
                    "anyOf",
                    .array([.object([("$ref", .string("#/$defs/\(ZoomIntent.name)"))]), .object([("type", "null")])])
                )
            ],
            read: { json in
                if case .null = json { return DigitalZoom(factor: 1) }
                guard case .object(let members) = json, let zoom = try? ZoomIntent(members) else { return nil }
                return DigitalZoom(factor: zoom.factor, centerX: zoom.centerX ?? 0.5, centerY: zoom.centerY ?? 0.5)
            },
            write: { zoom in
                ZoomIntent(factor: zoom.factor, centerX: zoom.centerX, centerY: zoom.centerY).json
            })
    }
}
