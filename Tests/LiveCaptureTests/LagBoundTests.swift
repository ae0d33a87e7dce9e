// SPDX-License-Identifier: MIT
// How large the error of a lag can be, from the time in which the light was gathered and from the time of the tap.

import LivecapFrames
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite(.timeLimit(.usual)) struct LagBoundTests {
    private func bound(_ source: TimestampSource, _ exposure: Int64?) -> Duration {
        FrameMetadata(time: .zero, byteCount: 0, timeSource: source, uncertainty: .milliseconds(33))
            .lightBound(exposure: exposure.map(Duration.milliseconds))
    }

    @Test("An unknown exposure adds nothing")
    func unknown() {
        for source in [TimestampSource.startOfExposure, .endOfFrame, .dequeue, .file, .scene] {
            #expect(bound(source, nil) == .milliseconds(33))
        }
    }

    @Test("Exposure precedes the first packet, readout follows it: the longer of the two counts")
    func start() {
        #expect(bound(.startOfExposure, 10) == .milliseconds(33))
        #expect(bound(.startOfExposure, 100) == .milliseconds(100))
    }

    @Test("Before the end of a frame, both count, one after the other")
    func end() {
        #expect(bound(.endOfFrame, 10) == .milliseconds(43))
        #expect(bound(.dequeue, 10) == .milliseconds(43))
    }

    @Test("For a file or a scene, only the stated uncertainty counts")
    func others() {
        #expect(bound(.file, 10) == .milliseconds(33))
        #expect(bound(.scene, 10) == .milliseconds(33))
    }

    @Test("The tap's own uncertainty widens the bound, and moves nothing")
    func tap() async throws {
        let driven = try HandDrivenDesk()
        driven.frames(0..<20)
        let shot = driven.desk.submit(
            PhotoSettings(quality: .mean), at: .at(moment(104)), within: .milliseconds(3), into: nil, number: nil, nil)
        driven.work()
        let photo = try await shot.photo()
        #expect(photo.lag == .milliseconds(-4) && photo.lagBound == .milliseconds(3))
    }
}
