// SPDX-License-Identifier: MIT
// A browser without a screen, as one visitor sees a page: <https://www.w3.org/TR/webdriver2/>.

import Foundation
import LivecapFrames
import LivecapIntents
import LivecapPatience

/// A session of ChromeDriver: one window of one browser with a profile of its own.
package final class Browser {
    /// What a visitor's browser is like.
    package struct Settings {
        /// The size of the page in CSS pixels.
        package var size = FrameSize(width: 1280, height: 800)
        /// Whether the visitor prefers a dark page.
        package var isDark = false
        /// Whether the visitor prefers a page without motion.
        package var hasReducedMotion = false
        /// More arguments of Chromium's.
        package var arguments: [String] = []

        /// Creates settings of an ordinary visitor.
        package init() {}
    }

    private let driver: ChromeDriver
    private let session: String
    private var isOpen = true

    /// Starts a browser.
    /// - Throws: `WireError`.
    package init(_ driver: ChromeDriver, _ settings: Settings = Settings()) throws {
        self.driver = driver
        // Without a sandbox, because tests often run as root, and in containers that allow none.
        let arguments =
            [
                "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--mute-audio",
                "--autoplay-policy=no-user-gesture-required", "--hide-scrollbars",
                "--window-size=\(settings.size.width),\(settings.size.height)",
            ] + settings.arguments
        let milliseconds = Int(Patience.span.milliseconds)
        let capabilities = JSON.object([
            ("browserName", "chrome"),
            (
                "goog:chromeOptions",
                .object([
                    ("binary", .string(ChromeDriver.browser)), ("args", .array(arguments.map(JSON.string))),
                ])
            ),
            ("goog:loggingPrefs", .object([("browser", "ALL")])),
            (
                "timeouts",
                .object([
                    ("script", JSON(milliseconds)), ("pageLoad", JSON(milliseconds)), ("implicit", 0),
                ])
            ),
        ])
        let answer = try driver.command(
            "POST", "/session", .object([("capabilities", .object([("alwaysMatch", capabilities)]))]))
        guard let session = answer["sessionId"]?.string else { throw WireError.malformed("no session: \(answer.text)") }
        self.session = session
        try emulate(isDark: settings.isDark, hasReducedMotion: settings.hasReducedMotion)
    }

    deinit { close() }

    /// Closes the browser.
    package func close() {
        if isOpen { _ = try? driver.command("DELETE", "/session/\(session)") }
        isOpen = false
    }

    /// Opens a page, and returns once it is loaded.
    /// - Throws: `WireError`.
    package func open(_ url: String) throws { try post("url", ("url", .string(url))) }

    /// Loads the page again.
    /// - Throws: `WireError`.
    package func reload() throws { try post("refresh") }

    /// The page's address.
    package var url: String { get throws { try get("url").string ?? "" } }

    /// The page's title.
    package var title: String { get throws { try get("title").string ?? "" } }

    /// Runs the body of a function in the page, with `arguments`, and returns its result. If that is a promise, its
    /// value is awaited.
    /// - Throws: `WireError`; `refused` with the error that the script threw.
    @discardableResult
    package func run(_ script: String, _ arguments: JSON...) throws -> JSON {
        try post("execute/sync", ("script", .string(script)), ("args", .array(arguments)))
    }

    /// Runs the body of a function in the page whose last argument is a function, and returns the value that this is
    /// called with.
    /// - Throws: `WireError`; `refused` with the error that the script threw.
    @discardableResult
    package func runWithCallback(_ script: String, _ arguments: JSON...) throws -> JSON {
        try post("execute/async", ("script", .string(script)), ("args", .array(arguments)))
    }

    /// Waits until an expression of the page is true, and returns its value.
    /// - Throws: `WireError.timedOut`, which names `what`, and what the expression threw.
    @discardableResult
    package func await(_ what: String, _ expression: String, within span: Duration = Patience.span) throws -> JSON {
        let deadline = Deadline(in: span)
        while true {
            // The page awaits it by itself for a while, so that nothing is missed between two commands.
            let value = try run(
                """
                const end = performance.now() + 500;
                let value;
                while (!(value = (\(expression))) && performance.now() < end) {
                    await new Promise(resolve => setTimeout(resolve, 5));
                }
                return value ? [value] : [];
                """)
            if let value = value.elements.first { return value }
            if deadline.isPast { throw WireError.timedOut(what) }
        }
    }

    /// Takes a picture of the window, and writes it to a file, as PNG. Returns its bytes.
    /// - Throws: `WireError`, and what kept the file from being written.
    @discardableResult
    package func screenshot(to path: String? = nil) throws -> [UInt8] {
        guard let data = try Data(base64Encoded: get("screenshot").string ?? "") else {
            throw WireError.malformed("a screenshot that is not base64")
        }
        if let path { try data.write(to: URL(filePath: path)) }
        return [UInt8](data)
    }

    @discardableResult
    func post(_ path: String, _ parameters: (String, JSON)...) throws -> JSON {
        try driver.command("POST", "/session/\(session)/\(path)", .object(parameters))
    }

    func get(_ path: String) throws -> JSON { try driver.command("GET", "/session/\(session)/\(path)") }

    func delete(_ path: String) throws { _ = try driver.command("DELETE", "/session/\(session)/\(path)") }
}
