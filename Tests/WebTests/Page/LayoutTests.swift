// SPDX-License-Identifier: MIT
// The page on screens of all sizes, in both schemes: pictures of it, and what must hold for each.

import LivecapFrames
import LivecapIntents
import LivecapWebGear
import Testing

extension InBrowser {
    @Suite struct LayoutTests {
        private let server: ServedProgram

        init() throws {
            var settings = ServedProgram.Settings()
            settings.scene = "object:mark=no,noise=none"
            settings.size = FrameSize(width: 1280, height: 720)
            settings.rate = FrameRate(10)
            settings.arguments += ["--quality", "balanced"]
            server = try ServedProgram(settings)
        }

        /// What lies beyond the left or right edge of the page or of what scrolls in it. What is hidden does not count.
        private func overflow(_ browser: Browser) throws -> [String] {
            try browser.run(
                """
                const name = element => element.id || `${element.tagName} ${element.className?.baseVal ?? element.className}`;
                const clips = element => getComputedStyle(element).overflowX !== 'visible' && element !== document.body
                    && element !== document.documentElement;
                const isClipped = element => element && (clips(element) || isClipped(element.parentElement));
                return [...document.querySelectorAll('body *')].filter(element => {
                    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
                    if (clips(element) && !element.matches('.unseen') && element.scrollWidth > element.clientWidth + 1) return true;
                    const { left, right, width } = element.getBoundingClientRect();
                    return width && !isClipped(element.parentElement) && (left < -0.5 || right > innerWidth + 0.5);
                }).map(name);
                """
            ).elements.compactMap(\.string)
        }

        private func check(_ state: String, _ visit: PageVisit, _ screen: Screen, isDark: Bool) throws {
            try visit.browser.screenshot(to: WebRun.path("\(state)-\(screen.name)-\(isDark ? "dark" : "light").png"))
            let overflow = try overflow(visit.browser)
            #expect(overflow.isEmpty, "\(state)")
        }

        /// The shutter can be touched, and the picture fills its place in its own shape.
        private func checkCamera(_ visit: PageVisit, _ screen: Screen) throws {
            let (width, height) = (Double(screen.size.width), Double(screen.size.height))
            let shutter = try visit.browser.find("#shutter").place
            #expect(shutter.x >= 0 && shutter.x + shutter.width <= width)
            #expect(shutter.y >= 0 && shutter.y + shutter.height <= height)
            #expect(min(shutter.width, shutter.height) >= 44)
            let (view, picture) = (try visit.browser.find("#view").place, try visit.browser.find("#picture").place)
            #expect(view == picture)
            #expect(abs(view.width - view.height * 16 / 9) < 2)
            #expect(view.x >= 0 && view.x + view.width <= width && view.y >= 0 && view.y + view.height <= height)
            let pixels = try visit.browser.run(
                "const { width, height } = document.getElementById('view'); return [width, height]")
            let real = min(view.width * screen.scale, 1280)
            #expect(abs((pixels.elements.first?.double ?? 0) - real) <= 1)
            #expect(abs((pixels.elements.last?.double ?? 0) - real * 9 / 16) <= 1)
            // The picture is at the top of an upright phone; beside it, the shutter is in the middle.
            if height > width { #expect(view.y < 1) }
            if width > height, !screen.isPhone { #expect(abs(shutter.y + shutter.height / 2 - height / 2) < 2) }
        }

        @Test(arguments: Screen.all, [false, true])
        func everythingHasItsPlace(on screen: Screen, isDark: Bool) throws {
            var appearance = Browser.Settings()
            (appearance.isDark, appearance.hasReducedMotion) = (isDark, true)
            let visit = try PageVisit(server, appearance, on: screen)
            let browser = visit.browser
            let ground = try browser.run("return getComputedStyle(document.body).backgroundColor").string ?? ""
            let shade = ground.split(whereSeparator: { !$0.isNumber }).compactMap { Int($0) }.prefix(3)
            #expect(shade.allSatisfy { isDark ? $0 < 40 : $0 > 215 }, "\(ground)")
            try visit.noteTaps()
            try browser.press(.space)
            try #require(try visit.takeTaps().first?.photo != nil)
            try browser.await("a tile", "document.querySelector('#list img.there')")
            try checkCamera(visit, screen)
            let view = try browser.find("#view").place
            #expect(view.width > Double(screen.size.width) * 0.8 || view.height > Double(screen.size.height) * 0.8)
            try check("live", visit, screen, isDark: isDark)
            try browser.press("o")
            try browser.await("the options", "document.querySelector('#sheet h3')?.checkVisibility()")
            try check("options", visit, screen, isDark: isDark)
            if !screen.isPhone { try checkCamera(visit, screen) }
            try browser.press(.escape)
            try browser.await(
                "the photos", "document.querySelector('#list button')?.checkVisibility({ visibilityProperty: true })")
            try browser.run("document.querySelector('#list button').click()")
            try browser.await("the photo", "document.querySelector('.frame > img')?.naturalWidth")
            try check("photo", visit, screen, isDark: isDark)
            let image = try browser.find(".frame > img").place
            #expect(image.x >= 0 && image.x + image.width <= Double(screen.size.width))
            try browser.press(.escape)
            try browser.await("the camera", "!document.getElementById('viewer').open")
            try browser.press("p")
            try browser.find("#select").click()
            try browser.find("#list button").click()
            try check("choice", visit, screen, isDark: isDark)
        }
    }
}
