// SPDX-License-Identifier: MIT
// How a stream wakes its server when it has bytes to send.

import Foundation
import Synchronization
import Testing

@testable import LivecapHTTP

@Suite struct HTTPStreamTests {
    @Test func everyWakeIsAsShallowAsTheFirst() {
        let depths = Mutex<Set<Int>>([])
        let stream = HTTPStream { _ in .none }
        stream.connect { _ in
            let depth = Thread.callStackReturnAddresses.count
            depths.withLock { _ = $0.insert(depth) }
        }
        var byte: UInt8 = 0
        for _ in 0..<100 {
            stream.wake()
            withUnsafeMutableBytes(of: &byte) { _ = stream.read(into: $0) }
        }
        #expect(depths.withLock { $0.count } == 1)
    }
}
