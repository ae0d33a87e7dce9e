// SPDX-License-Identifier: MIT
// Answers on their way to the server's thread.

import Testing

@testable import LivecapHTTP

@Suite struct InboxTests {
    private func answer(_ count: Int) -> HTTPResponse {
        HTTPResponse(type: "image/jpeg", .bytes([UInt8](repeating: 1, count: count)))
    }

    @Test("Answers that the server's thread has not taken yet count, too") func answersCountOnceTheyAreMade() throws {
        let inbox = try HTTPInbox(limit: 100_000)
        for number in 0..<4 { inbox.add(UInt64(number), answer(40_000)) }
        // Small ones always have room.
        inbox.add(4, answer(100))
        let first = inbox.take().replies
        #expect(first.map(\.response.status) == [200, 200, 503, 503, 200])
        #expect(first.map(\.heldBytes) == [40_000, 40_000, 0, 0, 0])
        inbox.release(first[0].heldBytes)
        inbox.add(5, answer(40_000))
        inbox.add(6, answer(40_000))
        #expect(inbox.take().replies.map(\.response.status) == [200, 503])
    }

    @Test("An answer that is larger than the limit has its turn when there is no other") func aLargeAnswerHasItsTurn()
        throws
    {
        let inbox = try HTTPInbox(limit: 100_000)
        inbox.add(0, answer(200_000))
        inbox.add(1, answer(20_000))
        let replies = inbox.take().replies
        #expect(replies.map(\.response.status) == [200, 503])
        inbox.release(replies[0].heldBytes)
        inbox.add(2, answer(20_000))
        #expect(inbox.take().replies.map(\.response.status) == [200])
    }
}
