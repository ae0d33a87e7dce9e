// SPDX-License-Identifier: MIT
// What axe-core, a checker of accessibility, finds wrong with a page.

import Foundation
import Glibc
import LivecapIntents

/// A rule of axe-core that a page breaks.
package struct AccessibilityProblem: Hashable, CustomStringConvertible {
    /// The rule, such as "color-contrast".
    package let rule: String
    /// How bad that is: "minor", "moderate", "serious" or "critical".
    package let impact: String
    /// What the rule demands.
    package let words: String
    /// The elements that break it, as CSS selectors.
    package let places: [String]

    /// Whether it keeps people from using the page.
    package var isSerious: Bool { impact == "serious" || impact == "critical" }

    /// The problem for people.
    package var description: String { "\(impact) \(rule): \(words): \(places.joined(separator: ", "))" }
}

/// The script of axe-core, a test tool that `scripts/test-web` gets.
package enum AxeScript {
    /// Its path; nil if it could not be had.
    package static var path: String? {
        guard let path = getenv("LIVECAP_AXE").map({ String(cString: $0) }), access(path, R_OK) == 0 else { return nil }
        return path
    }
}

extension Browser {
    /// Runs axe-core in the page, and returns all that it finds, in the rules of WCAG 2.2 A and AA and its own best
    /// practices.
    /// - Throws: `WireError`.
    package func accessibilityProblems() throws -> [AccessibilityProblem] {
        guard let path = AxeScript.path else { throw WireError.program("axe-core is missing") }
        // WebDriver's scripts are not the page's, so the page's security policy does not concern them.
        try run(String(contentsOfFile: path, encoding: .utf8))
        let found = try run(
            """
            const { violations } = await axe.run(document, { resultTypes: ['violations'] });
            return violations.map(({ id, impact, help, nodes }) =>
                ({ id, impact, help, places: nodes.map(node => node.target.join(' ')) }));
            """)
        return found.elements.map { problem in
            AccessibilityProblem(
                rule: problem["id"]?.string ?? "", impact: problem["impact"]?.string ?? "",
                words: problem["help"]?.string ?? "",
                places: problem["places"]?.elements.compactMap(\.string) ?? [])
        }
    }
}
