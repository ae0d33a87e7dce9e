// SPDX-License-Identifier: MIT
// Where the keyboard is in the page, and whether that can be seen.

import LivecapIntents
import LivecapWebGear
import Testing

/// What has the focus.
struct Focus: Hashable, CustomStringConvertible {
    /// Its id, or else what people call it.
    let name: String
    /// Whether it is in sight, nothing lies over it, and it is marked as what has the focus.
    let isVisible: Bool

    var description: String { isVisible ? name : "\(name), which cannot be seen" }
}

extension [Focus] {
    /// Those that cannot be seen.
    var hidden: [Focus] { filter { !$0.isVisible } }
}

extension PageVisit {
    /// What has the focus; nil if nothing has.
    func focus() throws -> Focus? {
        let focus = try browser.run(
            """
            const element = document.activeElement;
            if (!element || element === document.body || element === document.documentElement) return null;
            // What is too small to be seen, or cannot be, is marked by what is drawn in its place.
            const parts = [element, element.nextElementSibling, element.closest('.curtain')].filter(Boolean);
            const isMarked = part => {
                const { outlineStyle, outlineWidth } = getComputedStyle(part);
                return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
            };
            const { x, y, width, height } = element.getBoundingClientRect();
            const [left, top] = [Math.max(x, 0), Math.max(y, 0)];
            const [right, bottom] = [Math.min(x + width, innerWidth), Math.min(y + height, innerHeight)];
            const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
            const isThere = right > left && bottom > top && there
                && (element.contains(there) || there.contains(element) || there.closest('label')?.contains(element));
            return [element.id || (element.ariaLabel ?? element.labels?.[0]?.textContent ?? element.textContent).trim(),
                Boolean(isThere && parts.some(isMarked))];
            """)
        guard let name = focus.elements.first?.string else { return nil }
        return Focus(name: name, isVisible: focus.elements.last?.bool ?? false)
    }

    /// Presses Tab until that has the focus, and returns what had it on the way.
    @discardableResult
    func tab(to name: String, holding keys: [Key] = []) throws -> [Focus] {
        var passed: [Focus] = []
        for _ in 0..<80 {
            try browser.press(.tab, holding: keys)
            // Between the page's last element and its first, the focus is the browser's own.
            guard let focus = try focus() else { continue }
            passed.append(focus)
            if focus.name == name { return passed }
        }
        throw WireError.timedOut("the focus of \(name), after \(passed)")
    }
}
