// SPDX-License-Identifier: MIT
// What a visit costs and leaves behind: no request elsewhere, no error, and few bytes.

import LivecapIntents
import LivecapWebGear
import Testing

extension InBrowser {
    @Suite struct HygieneTests {
        /// Whatever a visitor does.
        private func visitEverything(_ visit: PageVisit, _ movies: Bool) throws {
            let browser = visit.browser
            try visit.noteTaps()
            try visit.tap(pausing: [.milliseconds(200), .zero])
            try #require(try visit.takeTaps().count == 2)
            for key in ["o", "g", "t", "t", "t", "+", "-", "0"] { try browser.press(key) }
            try browser.await("cameras and controls", "document.querySelector('#sheet h3')")
            try browser.press(.escape)
            try browser.press(.pageDown)
            try browser.await("a held moment", "document.getElementById('moment').classList.contains('held')")
            try browser.press("l")
            try browser.press("p")
            try browser.find("#list button").click()
            try browser.await("the photo", "document.querySelector('.frame > img')?.naturalWidth")
            for (name, what) in [
                ("Compare", ".curtain"), ("Explain", ".explained > img"), ("Explain", ".frame > img"),
            ] {
                try browser.find("#viewer button", called: name).click()
                try browser.await(what, "document.querySelector('\(what)')")
            }
            try browser.find("#viewer button", called: "Earlier").click()
            try browser.await("a third photo", "document.querySelectorAll('#list button').length === 3")
            try browser.press(.escape)
            try browser.press(.escape)
            try browser.press("r")
            try browser.await("a movie", "document.getElementById('record').ariaLabel.startsWith('Stop')")
            try browser.press("r")
            try browser.await("its end", "document.getElementById('record').ariaLabel.startsWith('Record')")
        }

        @Test func aWholeVisitAsksNobodyElseAndMeetsNoError() throws {
            var settings = ServedProgram.Settings()
            let movies = try TemporaryFolder()
            settings.arguments += ["--quality", "balanced", "--movies", movies.path("movies"), "--ring", "8"]
            let server = try ServedProgram(settings)
            let visit = try PageVisit(server)
            try visit.browser.run(
                """
                window.problems = [];
                addEventListener('error', event => problems.push(event.message), true);
                addEventListener('unhandledrejection', event => problems.push(String(event.reason)));
                document.addEventListener('securitypolicyviolation', event => problems.push(event.blockedURI));
                performance.setResourceTimingBufferSize(10000);
                """)
            try visitEverything(visit, true)
            #expect(try visit.browser.run("return problems").elements.isEmpty)
            let lines = try visit.browser.takeConsole()
            #expect(lines.isEmpty, "\(lines)")
            let requests = try visit.browser.run(
                "return performance.getEntriesByType('resource').map(({ name }) => name)"
            ).elements.compactMap(\.string)
            #expect(requests.count > 20)
            let foreign = requests.filter { !$0.hasPrefix(server.url) && !$0.hasPrefix("blob:\(server.url)") }
            #expect(foreign.isEmpty)
        }

        /// The page's own files, as browsers get them.
        @Test func thePageIsSmall() throws {
            let server = try ServedProgram()
            let visit = try PageVisit(server)
            let loaded = try visit.browser.run(
                """
                const kinds = ['navigation', 'link', 'script', 'css', 'other'];
                return ['navigation', 'resource'].flatMap(type => performance.getEntriesByType(type))
                    .filter(({ initiatorType }) => kinds.includes(initiatorType))
                    // These come after the first picture, or when they are needed.
                    .filter(({ name }) => !/(line|video|media|fragments|provenance)\\.js$/.test(name))
                    .map(({ name, encodedBodySize, transferSize }) => [name, encodedBodySize, transferSize]);
                """
            ).elements.map(\.elements)
            let pages = loaded.compactMap { $0.first?.string }
            #expect(
                ["", "page.css", "js/main.js", "js/viewer.js"].allSatisfy { pages.contains(server.url + $0) },
                "\(pages)")
            var transferred = loaded.reduce(0) { $0 + ($1.last?.integer ?? 0) }
            // The browser does not say what these cost.
            for name in ["icon.svg", "manifest.webmanifest"] where !pages.contains(server.url + name) {
                let request = HTTPRequest("GET", "/" + name, fields: [("Accept-Encoding", "gzip")])
                let answer = try HTTPConnection.exchange(port: server.port, request)
                #expect(answer.status == 200)
                transferred += Int64(answer.body.count) + 300
            }
            // Less than one frame of the live view takes with 1280x720.
            #expect(transferred > 10_000 && transferred < 64_000)
            print("first view: \(pages.count) files, \(transferred) bytes")
        }

        @Test func theFirstFrameIsPainted() throws {
            let server = try ServedProgram()
            let visit = try PageVisit(server)
            // Noted from the very beginning of a load that finds nothing in the cache.
            try visit.browser.devTools(
                "Page.addScriptToEvaluateOnNewDocument",
                (
                    "source",
                    """
                    const note = () => {
                        window.firstPainted ??= window.livecap?.painted ? livecap.paintedAt : undefined;
                        if (window.firstPainted === undefined) requestAnimationFrame(note);
                    };
                    requestAnimationFrame(note);
                    """
                ))
            try visit.browser.devTools("Page.reload", ("ignoreCache", true))
            let times = try visit.browser.await(
                "the first frame",
                """
                (page => window.firstPainted
                    && [page.responseEnd, page.domContentLoadedEventEnd, firstPainted].map(Math.round)
                )(performance.getEntriesByType('navigation')[0])
                """
            ).elements.compactMap(\.integer)
            #expect(times.count == 3 && times == times.sorted())
            print("first view: \(times) ms to the document, its scripts, a frame on the screen")
        }
    }
}
