// SPDX-License-Identifier: MIT
// Requests that wait for their turn.

import Foundation
import LivecapPatience
import LivecapThreads
import Testing

@testable import LivecapHTTP
@testable import LivecapServing

@Suite struct RequestQueueTests {
    /// What was answered, by the numbers of the requests.
    private final class Answers: Sendable {
        let statuses = Guarded<[UInt64: Int]>([:])

        func reply(_ number: UInt64) -> HTTPReply {
            HTTPReply(number: number) { number, response in self.statuses.withLock { $0[number] = response.status } }
        }
    }

    @Test func thoseBeyondTheLimitAreRefusedAndTheOthersAnsweredInOrder() throws {
        let answers = Answers()
        let order = Guarded<[UInt64]>([])
        let queue = RequestQueue("test", threads: 1, waiting: 3)
        let (begun, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        queue.answer(answers.reply(0)) {
            begun.signal()
            mayGoOn.wait()
            return HTTPResponse(200)
        }
        begun.wait()
        for number in UInt64(1)...5 {
            queue.answer(answers.reply(number)) {
                order.withLock { $0.append(number) }
                return HTTPResponse(200)
            }
        }
        #expect(answers.statuses.withLock { $0 } == [4: 503, 5: 503])
        mayGoOn.signal()
        try eventually("all answers") { answers.statuses.withLock { $0.count } == 6 }
        #expect(answers.statuses.withLock { $0 } == [0: 200, 1: 200, 2: 200, 3: 200, 4: 503, 5: 503])
        #expect(order.withLock { $0 } == [1, 2, 3])
    }

    @Test func aQueueThatWasFullAnswersAgain() throws {
        let answers = Answers()
        let queue = RequestQueue("test", threads: 2, waiting: 1)
        let mayGoOn = DispatchSemaphore(value: 0)
        for round in 0..<UInt64(20) {
            let first = round * 10
            for number in first..<first + 10 {
                queue.answer(answers.reply(number)) {
                    mayGoOn.wait()
                    return HTTPResponse(204)
                }
            }
            // Two at work and one that waits, or fewer if a thread began late.
            let accepted = 10 - answers.statuses.withLock { $0.values.count { $0 == 503 } }
            #expect((1...3).contains(accepted))
            for _ in 0..<accepted { mayGoOn.signal() }
            try eventually("all answers") { answers.statuses.withLock { $0.count } == 10 }
            answers.statuses.withLock { $0 = [:] }
        }
    }

    @Test func workThatAnswersElsewhereIsNotAnsweredHere() throws {
        let answers = Answers()
        let queue = RequestQueue("test", threads: 1, waiting: 8)
        queue.answer(answers.reply(1)) { nil }
        queue.answer(answers.reply(2)) { HTTPResponse(200) }
        try eventually("the second answer") { answers.statuses.withLock { $0[2] } != nil }
        #expect(answers.statuses.withLock { $0[1] } == nil)
    }
}
