// SPDX-License-Identifier: MIT
// What only Chromium's own protocol can do: preferences, sizes, a network that is off, and the console.

import LivecapFrames
import LivecapIntents

/// A line of the browser's console.
package struct ConsoleLine: Hashable, CustomStringConvertible {
    /// Such as SEVERE, WARNING, INFO.
    package let level: String
    /// Where it comes from, such as "console-api", "javascript", "network" or "security".
    package let source: String
    /// What it says, with the place in the page.
    package let message: String

    /// The line for people.
    package var description: String { "\(level) \(source): \(message)" }
}

extension Browser {
    /// Sends a command of the DevTools protocol and returns its result.
    /// - Throws: `WireError`.
    @discardableResult
    package func devTools(_ command: String, _ parameters: (String, JSON)...) throws -> JSON {
        try post("goog/cdp/execute", ("cmd", .string(command)), ("params", .object(parameters)))
    }

    /// Changes what the visitor prefers.
    /// - Throws: `WireError`.
    package func emulate(isDark: Bool, hasReducedMotion: Bool) throws {
        func feature(_ name: String, _ value: String) -> JSON {
            .object([("name", .string(name)), ("value", .string(value))])
        }
        try devTools(
            "Emulation.setEmulatedMedia",
            (
                "features",
                .array([
                    feature("prefers-color-scheme", isDark ? "dark" : "light"),
                    feature("prefers-reduced-motion", hasReducedMotion ? "reduce" : "no-preference"),
                ])
            ))
    }

    /// Changes the size of the page, as if it were shown on a phone if `isMobile`: with touch instead of a mouse.
    /// - Throws: `WireError`.
    package func resize(to size: FrameSize, scale: Double = 1, isMobile: Bool = false) throws {
        try devTools(
            "Emulation.setDeviceMetricsOverride", ("width", JSON(size.width)), ("height", JSON(size.height)),
            ("deviceScaleFactor", .number(scale)), ("mobile", .bool(isMobile)))
        try devTools("Emulation.setTouchEmulationEnabled", ("enabled", .bool(isMobile)))
    }

    /// Takes the network away from the page, or gives it back. Connections that there are stay open.
    /// - Throws: `WireError`.
    package func setOffline(_ isOffline: Bool) throws {
        try devTools("Network.enable")
        try devTools(
            "Network.emulateNetworkConditions", ("offline", .bool(isOffline)), ("latency", 0),
            ("downloadThroughput", -1), ("uploadThroughput", -1))
    }

    /// Makes the page believe that it is hidden, as a tab in the background is, or visible again.
    /// - Throws: `WireError`.
    package func setFrozen(_ isFrozen: Bool) throws {
        try devTools("Page.enable")
        try devTools("Page.setWebLifecycleState", ("state", isFrozen ? "frozen" : "active"))
    }

    /// Removes and returns the lines of the console that came since the last call.
    /// - Throws: `WireError`.
    package func takeConsole() throws -> [ConsoleLine] {
        try post("se/log", ("type", "browser")).elements.map { line in
            ConsoleLine(
                level: line["level"]?.string ?? "", source: line["source"]?.string ?? "",
                message: line["message"]?.string ?? line.text)
        }
    }

    /// Removes and returns the errors of the console that came since the last call: exceptions, failed requests, and
    /// what the page's security policy refused.
    /// - Throws: `WireError`.
    package func takeErrors() throws -> [ConsoleLine] { try takeConsole().filter { $0.level == "SEVERE" } }

    /// The bytes that the page's scripts use, after a collection of garbage.
    /// - Throws: `WireError`.
    package func usedHeapBytes() throws -> Int64 {
        try devTools("HeapProfiler.collectGarbage")
        return Int64(try devTools("Runtime.getHeapUsage")["usedSize"]?.double ?? 0)
    }
}
