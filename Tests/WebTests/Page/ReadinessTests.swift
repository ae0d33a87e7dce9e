// SPDX-License-Identifier: MIT
// What the shutter says when a tap would have to wait, and that it takes the tap all the same.

import LivecapFrames
import LivecapIntents
import LivecapWebGear
import Testing

extension InBrowser {
    @Suite struct ReadinessTests {
        @Test func aBusyServerIsSaidWithHowLongAndIsReadyAgain() throws {
            var settings = ServedProgram.Settings()
            settings.size = FrameSize(width: 1920, height: 1080)
            settings.rate = FrameRate(10)
            // One shot takes long even for a fast processor, and there is room for few at a time.
            settings.arguments += ["--quality", "balanced", "--memory", "500M", "--threads", "1", "--ring", "20"]
            let server = try ServedProgram(settings)
            let visit = try PageVisit(server)
            let browser = visit.browser
            try visit.noteTaps()
            // Everything that the shutter ever shows.
            try browser.run(
                """
                window.said = [];
                const note = () => {
                    const shutter = document.getElementById('shutter');
                    const now = [livecap.state, shutter.classList.contains('busy'),
                        parseFloat(shutter.style.getPropertyValue('--wait'))];
                    if (String(now) !== String(said.at(-1))) said.push(now);
                };
                new MutationObserver(note).observe(document.getElementById('shutter'), { attributes: true });
                """)
            try visit.tap(pausing: [Duration](repeating: .milliseconds(10), count: 12))
            let taps = try visit.takeTaps()
            // None was refused.
            #expect(taps.count == 12 && taps.allSatisfy { $0.photo != nil }, "\(taps.map(\.problem))")
            try browser.await("ready again", "livecap.state === 'ready'")
            try browser.await("no words", "document.getElementById('words').textContent === ''")
            #expect(try !(browser.find("#shutter").attribute("class") ?? "").contains("busy"))
            let said = try browser.run("return said").elements.map(\.elements)
            let busy = said.filter { $0[0].string == "notReadyWaitingForProcessing" }
            #expect(busy.contains { $0[1].bool == true && $0[2].double ?? 0 > 120 }, "\(said.map { $0.map(\.text) })")
        }

        @Test func aCameraThatIsOffIsSaidAndAShotSwitchesItOn() throws {
            var settings = ServedProgram.Settings()
            settings.arguments = ["--quality", "single", "--idle-off", "300ms"]
            let server = try ServedProgram(settings)
            let visit = try PageVisit(server)
            let browser = visit.browser
            func hide(_ isHidden: Bool) throws {
                try browser.run(
                    """
                    Object.defineProperty(document, 'hidden', { configurable: true, value: arguments[0] });
                    document.dispatchEvent(new Event('visibilitychange'));
                    """, .bool(isHidden))
            }
            // A page in the background views nothing.
            try hide(true)
            try browser.await(
                "that it is off", "document.querySelector('#veil h2').textContent === 'The camera is off'")
            #expect(try visit.words("veil").contains("Taking a photo switches it on"))
            try browser.press(.space)
            let shot = try browser.await("the photo", "livecap.shots[0]?.photo")
            let photo = try #require(shot["id"]?.integer)
            #expect(try server.mark("/photos/\(photo)/image") != nil)
            try hide(false)
            try visit.waitForPicture()
            try browser.await("the picture", "document.querySelector('#veil h2').textContent === ''")
        }
    }
}
