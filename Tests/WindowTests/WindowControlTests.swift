// SPDX-License-Identifier: MIT
// What keys and the mouse do.

import LivecapCWindow
import LivecapFrames
import LivecapWindow
import Testing

@Suite struct WindowControlTests {
    private func at(_ milliseconds: Int64) -> Timestamp { Timestamp(nanoseconds: milliseconds * 1_000_000) }

    /// Moments from 1 s to 4 s.
    private var rail: TimeRail {
        TimeRail(oldest: at(0), newest: at(4000), interval: .milliseconds(100), left: 0, right: 300)
    }

    /// What a key does, and the state after it.
    private func press(
        _ keys: [WindowInput], _ control: WindowControl = WindowControl()
    ) -> (wish: WindowWish?, after: WindowControl) {
        var control = control
        var wish: WindowWish?
        for key in keys { wish = control.handle(key, rail: rail, railTop: 400) }
        return (wish, control)
    }

    private func key(_ character: Character) -> WindowInput { .key(Int32(character.asciiValue!)) }
    private func key(_ code: Int) -> WindowInput { .key(Int32(code)) }

    @Test(arguments: [32, 13, LC_WINDOW_KEY_ENTER]) func aPictureIsTaken(code: Int) {
        #expect(press([key(code)]).wish == .take)
        #expect(press([.key(Int32(code), isRepeated: true)]).wish == nil)
    }

    @Test(arguments: zip("mpce17r", "mpce17m")) func otherKeysArePassedOn(pressed: Character, passed: Character) {
        #expect(press([key(pressed)]).wish == .key(passed))
    }

    @Test(arguments: "axz0;") func manyKeysDoNothing(character: Character) {
        let (wish, after) = press([key(character)])
        #expect(wish == nil && after == WindowControl())
    }

    @Test func arrowsGoBackAndForward() {
        #expect(press([key(LC_WINDOW_KEY_LEFT)]).after.moment == at(3900))
        let held: WindowInput = .key(Int32(LC_WINDOW_KEY_LEFT), isRepeated: true)
        #expect(press([held, held, held]).after.moment == at(3700))
        #expect(press([held, held, key(LC_WINDOW_KEY_RIGHT)]).after.moment == at(3900))
        #expect(press([held, key(LC_WINDOW_KEY_RIGHT)]).after.moment == nil)
    }

    @Test func leapsAndEnds() {
        #expect(press([key(LC_WINDOW_KEY_PAGE_UP)]).after.moment == at(3500))
        #expect(press([key(LC_WINDOW_KEY_PAGE_UP), key(LC_WINDOW_KEY_PAGE_DOWN)]).after.moment == nil)
        #expect(press([key(LC_WINDOW_KEY_HOME)]).after.moment == at(1000))
        #expect(press([key(LC_WINDOW_KEY_HOME), key(LC_WINDOW_KEY_END)]).after.moment == nil)
    }

    @Test func theWheelGoesBackWhenItIsTurnedAway() {
        #expect(press([.wheel(2)]).after.moment == at(3800))
        #expect(press([.wheel(2), .wheel(-2)]).after.moment == nil)
    }

    @Test func theRailIsDragged() {
        #expect(press([.press(x: 100, y: 450)]).after.moment == at(2000))
        #expect(press([.press(x: 100, y: 450), .drag(x: 200)]).after.moment == at(3000))
        #expect(press([.press(x: 100, y: 450), .drag(x: 900)]).after.moment == nil)
        #expect(press([.press(x: 100, y: 450), .release, .drag(x: 200)]).after.moment == at(2000))
        // On the picture, or where no rail is shown.
        #expect(press([.press(x: 100, y: 300), .drag(x: 200)]).after.moment == nil)
        #expect(press([key("h"), key("h"), .press(x: 100, y: 450)]).after.moment == nil)
    }

    @Test func withoutAPastNothingMoves() {
        var control = WindowControl()
        for input in [key(LC_WINDOW_KEY_LEFT), key(LC_WINDOW_KEY_HOME), .wheel(3), .press(x: 0, y: 450)] {
            _ = control.handle(input, rail: nil, railTop: 400)
        }
        #expect(control == WindowControl())
    }

    @Test func escapeLeavesOneThingAfterTheOther() {
        let (_, full) = press([key(LC_WINDOW_KEY_LEFT), key("f")])
        #expect(full.fillsScreen && full.moment != nil)
        let (first, back) = press([key(27)], full)
        #expect(first == .fillScreen(false) && back.moment != nil)
        let (second, live) = press([key(27)], back)
        #expect(second == nil && live.moment == nil)
        #expect(press([key(27)], live).wish == .end)
    }

    @Test func theScreenIsFilledAndLeft() {
        #expect(press([key("f")]).wish == .fillScreen(true))
        #expect(press([key("f"), key(LC_WINDOW_KEY_F11)]).wish == .fillScreen(false))
        #expect(press([key("f")], WindowControl(fillsScreen: true)).wish == .fillScreen(false))
    }

    @Test func hHidesTheKeysAndThenAll() {
        #expect(press([]).after.overlay == .hints)
        #expect(press([key("h")]).after.overlay == .line)
        #expect(press([key("h"), key("h")]).after.overlay == .nothing)
        #expect(press([key("h"), key("h"), key("h")]).after.overlay == .hints)
    }

    @Test func theEnd() {
        #expect(press([key("q")]).wish == .end)
        #expect(press([.close]).wish == .close)
    }

    @Test func aMomentThatLeavesBecomesTheOldest() {
        var (_, control) = press([key(LC_WINDOW_KEY_HOME)])
        control.follow(
            TimeRail(oldest: at(1000), newest: at(5000), interval: .milliseconds(100), left: 0, right: 300))
        #expect(control.moment == at(2000))
    }

    @Test func oneThatIsHeldStaysAndNoWayLeadsFurtherBack() {
        var (_, control) = press([key(LC_WINDOW_KEY_HOME)])
        let held = control.moment
        let later = TimeRail(oldest: at(3000), newest: at(6000), interval: .milliseconds(100), left: 0, right: 300)
        control.follow(later, isHeld: true)
        #expect(held != nil && control.moment == held)
        _ = control.handle(key(LC_WINDOW_KEY_LEFT), rail: later, railTop: 100)
        #expect(control.moment == held)
        _ = control.handle(key(LC_WINDOW_KEY_RIGHT), rail: later, railTop: 100)
        #expect(control.moment == later.oldest)
    }
}
