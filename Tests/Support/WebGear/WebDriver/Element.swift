// SPDX-License-Identifier: MIT
// Elements of a page, as a visitor and as assistive technology find them.

import LivecapIntents
import LivecapPatience

/// An element of the page that a browser shows. It is lost once the page is loaded again.
package struct Element {
    private let browser: Browser
    private let id: String

    /// The key of an element's id in WebDriver's JSON.
    private static let key = "element-6066-11e4-a52e-4f735466cecf"

    init(_ browser: Browser, _ value: JSON) throws {
        guard let id = value[Self.key]?.string else { throw WireError.malformed("not an element: \(value.text)") }
        (self.browser, self.id) = (browser, id)
    }

    /// The element as an argument of a script.
    package var json: JSON { .object([(Self.key, .string(id))]) }

    /// Clicks in the middle of it, after it was scrolled into view.
    /// - Throws: `WireError`; `refused` if something else lies over it.
    package func click() throws { try browser.post("element/\(id)/click") }

    /// Types into it.
    /// - Throws: `WireError`.
    package func type(_ text: String) throws { try browser.post("element/\(id)/value", ("text", .string(text))) }

    /// Empties it.
    /// - Throws: `WireError`.
    package func clear() throws { try browser.post("element/\(id)/clear") }

    /// The text that a visitor sees.
    package var text: String { get throws { try browser.get("element/\(id)/text").string ?? "" } }

    /// An attribute as it is in the page; nil if there is none.
    /// - Throws: `WireError`.
    package func attribute(_ name: String) throws -> String? {
        try browser.get("element/\(id)/attribute/\(name)").string
    }

    /// A property of its object.
    /// - Throws: `WireError`.
    package func property(_ name: String) throws -> JSON { try browser.get("element/\(id)/property/\(name)") }

    /// Whether a visitor sees it.
    package var isDisplayed: Bool { get throws { try browser.get("element/\(id)/displayed").bool ?? false } }

    /// Whether it can be used.
    package var isEnabled: Bool { get throws { try browser.get("element/\(id)/enabled").bool ?? false } }

    /// What it is to assistive technology, such as "button".
    package var role: String { get throws { try browser.get("element/\(id)/computedrole").string ?? "" } }

    /// What assistive technology calls it.
    package var label: String { get throws { try browser.get("element/\(id)/computedlabel").string ?? "" } }

    /// Its place in the window, in CSS pixels.
    package var place: (x: Double, y: Double, width: Double, height: Double) {
        get throws {
            let box = try browser.run(
                "const b = arguments[0].getBoundingClientRect(); return [b.x, b.y, b.width, b.height]", json)
            let numbers = box.elements.compactMap(\.double)
            guard numbers.count == 4 else { throw WireError.malformed("not a place: \(box.text)") }
            return (numbers[0], numbers[1], numbers[2], numbers[3])
        }
    }
}

extension Browser {
    /// Waits for the first element that a CSS selector matches.
    /// - Throws: `WireError.timedOut` if there is none for long.
    package func find(_ selector: String) throws -> Element {
        var found: Element?
        try eventually("an element \(selector)") {
            found = try findAll(selector).first
            return found != nil
        }
        guard let found else { throw WireError.timedOut("an element \(selector)") }
        return found
    }

    /// Waits for the first element that a CSS selector matches and that people call that: by its label, or by its text.
    /// - Throws: `WireError.timedOut` if there is none for long.
    package func find(_ selector: String, called name: String) throws -> Element {
        var found: Element?
        try eventually("an element \(selector) called \(name)") {
            let value = try run(
                """
                const name = element => (element.ariaLabel ?? element.textContent).trim();
                return [...document.querySelectorAll(arguments[0])].find(element =>
                    name(element) === arguments[1] && element.checkVisibility()) ?? null;
                """, .string(selector), .string(name))
            if !value.isNull { found = try Element(self, value) }
            return found != nil
        }
        guard let found else { throw WireError.timedOut("an element \(selector) called \(name)") }
        return found
    }

    /// All elements that a CSS selector matches now.
    /// - Throws: `WireError`.
    package func findAll(_ selector: String) throws -> [Element] {
        try post("elements", ("using", "css selector"), ("value", .string(selector))).elements.map {
            try Element(self, $0)
        }
    }

    /// The element that has the focus.
    /// - Throws: `WireError`.
    package func focused() throws -> Element { try Element(self, get("element/active")) }
}
