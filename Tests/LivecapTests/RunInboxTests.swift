// SPDX-License-Identifier: MIT
// The events that wait while livecap is armed: bounded, except for those that must not be lost.

import LiveCapture
import LivecapFrames
import Shutter
import Testing

@testable import livecap

@Suite struct RunInboxTests {
    private let inbox = RunInbox()

    @Test func comesOutInItsOrderAndNothingComesOutOfNothing() {
        for key in ["a", "b"] as [Character] { inbox.put(.key(key)) }
        for wanted in ["a", "b"] as [Character] {
            guard case .key(wanted) = inbox.next(until: .distantFuture) else {
                Issue.record("\(wanted) is missing")
                return
            }
        }
        #expect(inbox.next(until: .now) == nil)
    }

    @Test func whatIsTooMuchIsLeftOutAndSaid() {
        for _ in 0..<RunInbox.maxInputs { #expect(inbox.put(.key("x"))) }
        #expect(!inbox.put(.key("x")))
        #expect(!inbox.put(.button(0, .pressed(at: .zero))))
        #expect(inbox.droppedPresses == 2)
        // A release ends a burst, so it is accepted beyond the limit of other events, up to a limit of its own. The
        // end of a shot is always accepted, because it must be counted.
        #expect(inbox.put(.button(0, .released(at: .zero))))
        for number in 0..<UInt64(2 * RunInbox.maxInputs) {
            #expect(inbox.put(.photo(ShotID(number: number), .failure(.cancelled))))
        }
        #expect(!inbox.put(.button(0, .released(at: .zero))))
        #expect(inbox.droppedPresses == 2)
        #expect(inbox.next(until: .now) != nil)
    }

    @Test func thereIsRoomAgainWhenSomeHaveBeenTaken() {
        while inbox.put(.key("x")) {}
        _ = inbox.next(until: .now)
        #expect(inbox.put(.key("x")))
        #expect(!inbox.put(.key("x")))
    }
}
