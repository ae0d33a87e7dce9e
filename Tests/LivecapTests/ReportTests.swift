// SPDX-License-Identifier: MIT
// What is reported of the frames in a file: each way to lose a frame has its own words and its own key.

import LivecapFrames
import LivecapIntents
import Testing

@testable import Camera
@testable import LivecapFrameFiles
@testable import livecap

@Suite struct ReportTests {
    private func report(dropped: UInt64?, droppedByRing: UInt64?, lost: Int = 0) -> FileReport {
        var figures = FrameFileSummary()
        (figures.frames, figures.gaps, figures.lost) = (10, lost > 0 ? 1 : 0, lost)
        let format = FrameFormat(
            pixelFormat: .mjpeg, size: FrameSize(width: 64, height: 48), bytesPerLine: 0, byteCount: 1000,
            colorimetry: .jpeg)
        let source = SourceDescription(name: "a", identity: "b", format: format, rate: nil, clock: .own)
        return FileReport(
            path: "c", description: source, figures: figures, dropped: dropped, droppedByRing: droppedByRing)
    }

    @Test func framesTheRingDroppedAreCountedApart() {
        let report = report(dropped: 2, droppedByRing: 3, lost: 5)
        #expect(report.faults.count == 3)
        #expect(report.faults.contains { $0.hasPrefix("3 frames dropped") && $0.contains("in use") })
        let members = JSON.object(report.members).text
        #expect(members.contains("\"lost\":5") && members.contains("\"dropped\":2"))
        #expect(members.contains("\"droppedByRing\":3"))
    }

    @Test func aHoleAfterARestartIsSaid() {
        var figures = FrameFileSummary()
        figures.continuity = Continuity(
            count: 2, rate: FrameRate(30),
            {
                FrameMetadata(
                    time: Timestamp(nanoseconds: Int64($0) * 4_030_000_000), byteCount: 1,
                    id: FrameID(epoch: UInt32($0), counter: UInt64($0)))
            })
        let report = FileReport(
            path: "c", description: report(dropped: 0, droppedByRing: 0).description, figures: figures, dropped: 0,
            droppedByRing: 0)
        #expect(report.faults == ["1 restart", "1 hole of 4.03 s"])
        let members = JSON.object(report.members).text
        #expect(members.contains("\"epochs\":2") && members.contains("\"longestHoleNs\":4030000000"))
    }

    @Test func whatDidNotHappenIsNotSaid() { #expect(report(dropped: 0, droppedByRing: 0).faults == []) }

    @Test func whatNobodyKnowsIsNull() {
        #expect(JSON.object(report(dropped: nil, droppedByRing: nil).members).text.contains("\"droppedByRing\":null"))
    }
}
