// SPDX-License-Identifier: MIT
// Whether a virtual camera is watched, and what is heard of its end.

import LivecapStreams
import LivecapThreads
import Testing

@testable import LivecapVirtualCamera

@Suite struct CameraAudienceTests {
    private let audience = CameraAudience(FrameOutput())

    @Test func itIsWatchedWhileSomebodyLooks() {
        #expect(!audience.isWatched && !audience.isOver)
        audience.note(.some)
        #expect(audience.isWatched)
        audience.note(.none)
        #expect(!audience.isWatched && !audience.isOver)
    }

    @Test func anEndWhileNobodyLooksIsReportedOnce() {
        let reports = Guarded<[VirtualCameraError]>([])
        audience.onFailure { error in reports.withLock { $0.append(error) } }
        audience.note(.never(.gone("PipeWire")))
        #expect(audience.isOver && !audience.isWatched && audience.failure == .gone("PipeWire"))
        audience.reportFailure()
        audience.reportFailure()
        #expect(reports.withLock { $0 } == [.gone("PipeWire")])
    }

    @Test func anEndBeforeAnybodyAskedIsReportedToo() {
        audience.note(.never(.gone("PipeWire")))
        let reports = Guarded<[VirtualCameraError]>([])
        audience.onFailure { error in reports.withLock { $0.append(error) } }
        #expect(reports.withLock { $0 } == [.gone("PipeWire")])
    }

    @Test func nothingFollowsAnEnd() {
        audience.note(.never(.gone("PipeWire")))
        audience.note(.some)
        audience.note(.never(.gone("a")))
        #expect(!audience.isWatched && audience.failure == .gone("PipeWire"))
    }

    @Test func aRemovedCameraHasNotFailed() {
        audience.close()
        #expect(audience.isOver && audience.failure == nil)
    }
}
