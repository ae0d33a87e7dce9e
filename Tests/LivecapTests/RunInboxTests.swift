// SPDX-License-Identifier: MIT
// What waits while livecap is armed: bounded, but for what must not be lost.

import Frames
import LiveCapture
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
        for _ in 0..<RunInbox.most { #expect(inbox.put(.key("x"))) }
        #expect(!inbox.put(.key("x")))
        #expect(!inbox.put(.button(0, .pressed(at: .zero))))
        // A button that is let go of must not go on, a shot's end must be counted, and neither may be without bound.
        #expect(inbox.put(.button(0, .released(at: .zero))))
        for number in 0..<UInt64(2 * RunInbox.most) {
            #expect(inbox.put(.photo(ShotID(number: number), .failure(.cancelled))))
        }
        #expect(!inbox.put(.button(0, .released(at: .zero))))
        #expect(inbox.next(until: .now) != nil)
    }

    @Test func thereIsRoomAgainWhenSomeHaveBeenTaken() {
        while inbox.put(.key("x")) {}
        _ = inbox.next(until: .now)
        #expect(inbox.put(.key("x")))
        #expect(!inbox.put(.key("x")))
    }
}
