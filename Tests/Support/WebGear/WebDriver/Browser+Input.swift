// SPDX-License-Identifier: MIT
// Keys, mouse, touch and wheel, as the visitor's hands.

import LivecapFrames
import LivecapIntents

/// A key without a character of its own, as WebDriver writes it.
package enum Key: String {
    case backspace = "\u{E003}"
    case tab = "\u{E004}"
    case enter = "\u{E007}"
    case shift = "\u{E008}"
    case control = "\u{E009}"
    case alt = "\u{E00A}"
    case escape = "\u{E00C}"
    case space = " "
    case pageUp = "\u{E00E}"
    case pageDown = "\u{E00F}"
    case end = "\u{E010}"
    case home = "\u{E011}"
    case left = "\u{E012}"
    case up = "\u{E013}"
    case right = "\u{E014}"
    case down = "\u{E015}"
    case delete = "\u{E017}"
}

/// A step of a pointer.
package enum PointerStep {
    /// Moves to a place in the window, in CSS pixels, in this time.
    case move(x: Double, y: Double, in: Duration = .zero)
    /// Presses the button, or touches the screen.
    case down
    /// Releases it.
    case up
    /// Waits.
    case pause(Duration)
}

extension Browser {
    /// Which hand a pointer is.
    package enum Pointer: String {
        case mouse
        case touch
        case pen
    }

    /// Presses a key and releases it, while others are held.
    /// - Throws: `WireError`.
    package func press(_ key: Key, holding held: [Key] = []) throws { try press(key.rawValue, holding: held) }

    /// Presses the key of a character and releases it, while others are held.
    /// - Throws: `WireError`.
    package func press(_ character: String, holding held: [Key] = []) throws {
        func step(_ type: String, _ value: String) -> JSON {
            .object([("type", .string(type)), ("value", .string(value))])
        }
        let keys = held.map(\.rawValue) + [character]
        try act("key", "keyboard", [], keys.map { step("keyDown", $0) } + keys.reversed().map { step("keyUp", $0) })
    }

    /// Presses the keys of a text, one after the other.
    /// - Throws: `WireError`.
    package func type(_ text: String) throws { for character in text { try press(String(character)) } }

    /// Moves a pointer step by step. All steps are one command, so no time is lost between them.
    /// - Throws: `WireError`.
    package func point(_ pointer: Pointer = .mouse, _ steps: [PointerStep]) throws {
        let actions = steps.map { step -> JSON in
            switch step {
            case .move(let x, let y, let span):
                .object([
                    ("type", "pointerMove"), ("x", .number(x.rounded())), ("y", .number(y.rounded())),
                    ("duration", JSON(Int(span.milliseconds))), ("origin", "viewport"),
                ])
            case .down: .object([("type", "pointerDown"), ("button", 0)])
            case .up: .object([("type", "pointerUp"), ("button", 0)])
            case .pause(let span): .object([("type", "pause"), ("duration", JSON(Int(span.milliseconds)))])
            }
        }
        try act(
            "pointer", pointer.rawValue, [("parameters", .object([("pointerType", .string(pointer.rawValue))]))],
            actions)
    }

    /// Taps or clicks at a place in the window, in CSS pixels.
    /// - Throws: `WireError`.
    package func tap(_ pointer: Pointer = .mouse, x: Double, y: Double) throws {
        try point(pointer, [.move(x: x, y: y), .down, .up])
    }

    /// Turns the wheel at a place in the window, in CSS pixels.
    /// - Throws: `WireError`.
    package func scroll(x: Double, y: Double, byX across: Int = 0, byY down: Int = 0) throws {
        let step = JSON.object([
            ("type", "scroll"), ("x", JSON(Int(x))), ("y", JSON(Int(y))), ("deltaX", JSON(across)),
            ("deltaY", JSON(down)), ("duration", 0), ("origin", "viewport"),
        ])
        try act("wheel", "wheel", [], [step])
    }

    /// Releases all keys and buttons that are held.
    /// - Throws: `WireError`.
    package func releaseAll() throws { try delete("actions") }

    private func act(_ type: String, _ id: String, _ more: [(String, JSON)], _ actions: [JSON]) throws {
        let source = [("type", JSON.string(type)), ("id", .string(id))] + more + [("actions", .array(actions))]
        try post("actions", ("actions", .array([.object(source)])))
    }
}
