// SPDX-License-Identifier: MIT
// A movie of a session that runs, for as long as it is measured.

import Glibc
import LiveCapture
import LivecapFiles
import LivecapFrames
import LivecapMovies
import LivecapSound

/// A movie in a folder of its own, which is removed at its end.
struct BenchedMovie {
    /// What became of it.
    struct Outcome {
        let frames: Int
        let byteCount: Int
        let faults: [String]
    }

    private let output: MovieFileOutput
    private let sound: SoundCapture?
    private let folder: String
    private let path: String

    /// Begins a movie; one that `hasSound` is that of a synthetic microphone.
    init(_ session: CaptureSession, _ suffix: String, in folder: String, hasSound: Bool = false) throws {
        guard let made = makeTemporaryFolder("\(folder)/livecap-bench-") else {
            throw FileError.failed(folder, call: "mkdtemp", errno: errno)
        }
        (self.folder, path) = (made, "\(made)/movie.\(suffix)")
        sound = hasSound ? try SoundCapture(.automatic, in: SyntheticMicrophones(ppm: 300), past: .seconds(4)) : nil
        output = try MovieFileOutput(session.source, ring: session.ring, to: path, sound: sound?.history)
        output.start()
    }

    func finish() -> Outcome {
        let result = output.finish()
        sound?.stop()
        unlink(path)
        rmdir(folder)
        var faults = result.failure.map { ["the movie ended early: \($0.message)"] } ?? []
        if result.summary.dropped > 0 { faults.append("the movie lost \(result.summary.dropped) frames") }
        if result.summary.damaged > 0 { faults.append("the movie left out \(result.summary.damaged) frames") }
        if result.summary.frames == 0 { faults.append("the movie is empty") }
        if let silence = result.sound?.silence, silence > .zero { faults.append("the movie is silent for \(silence)") }
        return Outcome(frames: result.summary.frames, byteCount: result.byteCount, faults: faults)
    }
}

/// The processor time of this process, of all its threads.
enum ProcessorTime {
    static var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
