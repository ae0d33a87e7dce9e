// SPDX-License-Identifier: MIT
// What a session costs while nothing needs its camera, which is off.

import Camera
import Glibc
import LiveCapture
import LivecapFrames

/// A session with `idleOff`, whose scene is switched off.
struct CameraOff: FallibleBenchmark {
    let name = "pipeline.off"

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        var settings = SessionOptions()
        (settings.idleOff, settings.isRealTime) = (.milliseconds(500), false)
        let session = try CaptureSession(opening: .synthetic(SyntheticSettings("tripod:prerender=2")), settings)
        defer { session.end() }
        session.begin()
        var result = BenchmarkResult(name)
        guard isOff(session) else {
            result.faults = ["the camera was not switched off"]
            return result
        }
        let span = Duration.seconds(options.isThorough ? 60 : 10)
        let (before, frames) = (ProcessorTime.now, session.statistics.published)
        usleep(UInt32(span.nanoseconds / 1000))
        let used = ProcessorTime.now - before
        if session.statistics.published != frames { result.faults = ["the camera was switched on by itself"] }
        result.figures = [("processorPercent", used.seconds / span.seconds * 100)]
        result.targets = ["processorPercent": .atMost(0.2)]
        result.notes = ["of one processor, in \(Int(span.seconds)) s; the process does nothing else"]
        return result
    }

    /// Waits until frames stop coming.
    private func isOff(_ session: CaptureSession) -> Bool {
        for _ in 0..<30 {
            let before = session.statistics.published
            usleep(1_000_000)
            if before > 0, session.statistics.published == before { return true }
        }
        return false
    }
}
