// SPDX-License-Identifier: MIT
// What axe-core finds wrong with the page: nothing, in any of its states, schemes and sizes.

import LivecapWebGear
import Testing

extension InBrowser {
    @Suite(.enabled(if: AxeScript.path != nil, Comment(rawValue: WebRun.noAxe)))
    struct AccessibilityTests {
        @Test(arguments: [Screen.phone, .laptop], [false, true])
        func axeFindsNothing(on screen: Screen, isDark: Bool) throws {
            var settings = ServedProgram.Settings()
            settings.arguments += ["--quality", "balanced", "--ring", "10"]
            let server = try ServedProgram(settings)
            var appearance = Browser.Settings()
            // Whatever moves would be looked at halfway.
            (appearance.isDark, appearance.hasReducedMotion) = (isDark, true)
            let visit = try PageVisit(server, appearance, on: screen)
            let browser = visit.browser
            func check(_ state: String) throws {
                let problems = try browser.accessibilityProblems()
                #expect(problems.isEmpty, "\(state): \(problems)")
            }
            try check("live")
            try browser.press("o")
            try browser.await("the options", "document.getElementById('sheet').checkVisibility()")
            try browser.await("the camera's part of them", "document.querySelector('#sheet h3')")
            try check("options")
            try browser.press(.escape)
            try browser.press(.pageDown)
            try browser.await("a held moment", "document.getElementById('moment').classList.contains('held')")
            try check("held")
            try browser.press(.escape)
            try visit.noteTaps()
            try browser.press(.space)
            try #require(try visit.takeTaps().first?.photo != nil)
            try browser.press("p")
            try browser.await("a tile", "document.querySelector('#list img')?.naturalWidth")
            try check("photos")
            try browser.find("#select").click()
            try browser.find("#list button").click()
            try check("photos to be chosen")
            try browser.press(.escape)
            try browser.find("#list button").click()
            try browser.await("the photo", "document.querySelector('.frame > img')?.naturalWidth")
            try browser.find("#viewer button", called: "How it was made").click()
            try browser.await("its story", "document.querySelector('.story').textContent")
            try check("photo")
            try browser.find("#viewer button", called: "Save").click()
            try check("photo to be saved")
            try browser.press("c")
            try browser.await("both", "document.querySelector('.curtain')")
            try check("comparison")
        }
    }
}
