// SPDX-License-Identifier: MIT
// One visitor of the page, near or far away.

import LivecapFrames
import LivecapIntents
import LivecapWebGear
import Testing

/// Tests with a browser. One after the other: each of them keeps all processors busy.
@Suite(.serialized, .enabled(if: WebRun.hasBrowser, Comment(rawValue: WebRun.noBrowser))) enum InBrowser {}

/// A browser that shows the page of a server.
final class PageVisit {
    let browser: Browser
    /// The network between the browser and the server; nil if there is none.
    let network: DelayProxy?
    private let driver: ChromeDriver
    /// A server ends with the last that holds it.
    private let server: any WebServer

    /// Opens the page, over a network of that delay if one is given, on a screen if it is not just a window, and waits
    /// for the first picture. `options` are those that the visitor chose earlier, as the page keeps them. Under a
    /// `host` that is not this machine's own name, browsers offer the page what they offer those of other machines over
    /// plain HTTP.
    init(
        _ server: any WebServer, delay: Duration? = nil, _ settings: Browser.Settings = .init(),
        on screen: Screen? = nil,
        options: JSON? = nil, host: String = "127.0.0.1", waitsForPicture: Bool = true
    ) throws {
        self.server = server
        driver = try ChromeDriver()
        network = try delay.map { try DelayProxy(to: server.port, eachWay: $0) }
        var settings = settings
        if host != "127.0.0.1" { settings.arguments.append("--host-resolver-rules=MAP \(host) 127.0.0.1") }
        browser = try Browser(driver, settings)
        if let screen { try browser.resize(to: screen.size, scale: screen.scale, isMobile: screen.isPhone) }
        let url = "http://\(host):\(network?.port ?? server.port)/"
        try browser.open(url)
        if let options {
            try browser.run("localStorage.setItem('livecap.options', arguments[0])", .string(options.text))
            try browser.reload()
        }
        if waitsForPicture { try waitForPicture() }
    }

    deinit {
        browser.close()
        driver.quit()
        network?.close()
    }

    /// Waits until the page shows frames, and knows that the server is ready.
    func waitForPicture() throws {
        try browser.await(
            "the first picture", "livecap.painted !== null && livecap.connected && livecap.state === 'ready'")
    }

    /// The id of the frame that the page says it shows, and the number of the frame that its canvas does show, both
    /// read in one task of the page.
    func shown() throws -> (id: String, number: UInt32?) {
        try Self.frame(try browser.run("return \(Self.screen)"))
    }

    /// Waits until the held frame is on the canvas, and returns its id and the number that the canvas shows.
    func held() throws -> (id: String, number: UInt32) {
        let held = try browser.await(
            "the held frame", "livecap.held && livecap.painted === livecap.held && \(Self.screen)")
        let (id, number) = try Self.frame(held)
        return (id, try #require(number))
    }

    private static let screen =
        "[livecap.painted, document.getElementById('view').toDataURL('image/jpeg', 0.95)]"

    private static func frame(_ screen: JSON) throws -> (id: String, number: UInt32?) {
        (try #require(screen.elements.first?.string), try Tap.number(screen.elements.last))
    }

    /// What is said in an element, now.
    func words(_ id: String) throws -> String {
        try browser.run("return document.getElementById(arguments[0]).textContent", .string(id)).string ?? ""
    }

    /// Waits until an element says something of this kind. Assistive technology reads it aloud: all elements that tests
    /// ask for are live regions.
    @discardableResult
    func awaitWords(_ id: String, _ pattern: String) throws -> String {
        try browser.await(
            "\(id) with \(pattern)",
            "(text => /\(pattern)/.test(text) && text)(document.getElementById('\(id)').textContent)"
        ).string ?? ""
    }
}

/// A screen that shows nothing but the page.
struct Screen: Sendable, CustomTestStringConvertible {
    let name: String
    /// In CSS pixels.
    let size: FrameSize
    /// Real pixels for each of them, along a side.
    let scale: Double
    var isPhone = false

    var testDescription: String { name }

    static let phone = Screen(name: "phone", size: FrameSize(width: 390, height: 844), scale: 3, isPhone: true)
    static let laptop = Screen(name: "laptop", size: FrameSize(width: 1366, height: 768), scale: 1)
    /// 3840 by 2160 real pixels.
    static let large = Screen(name: "4k", size: FrameSize(width: 1920, height: 1080), scale: 2)
    static let all = [phone, laptop, large]
}
