// SPDX-License-Identifier: MIT
// How a stream wakes its server when it has bytes to send.

import Synchronization
import Testing

@testable import LivecapHTTP

@Suite struct HTTPStreamTests {
    @Test func everyWakeIsAsShallowAsTheFirst() {
        let depths = Mutex<Set<UInt>>([])
        let stream = HTTPStream { _ in .none }
        stream.connect { _ in
            var here: UInt8 = 0
            let place = withUnsafeMutablePointer(to: &here) { UInt(bitPattern: $0) }
            depths.withLock { _ = $0.insert(place) }
        }
        var byte: UInt8 = 0
        for _ in 0..<100 {
            stream.wake()
            withUnsafeMutableBytes(of: &byte) { _ = stream.read(into: $0) }
        }
        #expect(depths.withLock { $0.count } == 1)
    }
}
