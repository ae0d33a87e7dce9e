// SPDX-License-Identifier: MIT
// Checks that shots that take a second each come as fast as quick ones if they are deferred.

import Glibc
import LiveCapture
import LivecapFiles
import LivecapFrames
import LivecapPhotoStorage

/// Compares deferred `quality` shots with `speed` shots, one per frame, into a library on the disk, in turns.
struct DeferredRate: FallibleBenchmark {
    /// The format that the camera delivers, in which frames are kept.
    let pixelFormat: PixelFormat
    var name: String { pixelFormat == .mjpeg ? "stills.deferred" : "stills.deferred.raw" }

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        let taps = options.isThorough ? 300 : 90
        let rounds = options.isThorough ? 5 : 2
        let folder = try BenchFolder(options)
        let library = try PhotoLibrary("\(folder.path)/library")
        var plan = RunPlan()
        plan.pixelFormat = pixelFormat
        (plan.options.library, plan.options.finishingDelay) = (library, nil)
        var rates: [PhotoQuality: [Double]] = [:]
        var faults: [String] = []
        var bytesPerSecond = 0.0
        for round in 0..<(2 * rounds) {
            let quality: PhotoQuality = round % 2 == 0 ? .speed : .quality
            let run = try PipelineRun(plan)
            run.start()
            let begun = Timestamp.now
            run.tapEveryFrame(
                taps, PhotoSettings(quality: quality, deferral: quality == .quality ? .required : .never))
            var finished = run.finish()
            finished.demandPhotos()
            finished.demandTruth()
            rates[quality, default: []].append(photosPerSecond(finished.shots))
            if quality == .quality {
                let kept = finished.shots.count + 15
                bytesPerSecond = Double(kept * (try frameBytes(library))) / (Timestamp.now - begun).seconds
            }
            faults += finished.faults
        }
        let speed = rates[.speed]?.max() ?? 0, deferred = rates[.quality]?.max() ?? 0
        var result = BenchmarkResult(name, plan, shots: taps)
        result.quality = "quality"
        result.figures = [
            ("speedPerSecond", speed), ("deferredPerSecond", deferred), ("keptMBPerSecond", bytesPerSecond / 1e6),
            ("diskMBPerSecond", try diskRate(folder.path) / 1e6),
        ]
        result.ratios = [("deferredOverSpeed", deferred / speed)]
        result.targets = ["deferredOverSpeed": .atLeast(0.9)]
        let disk = result.figures[3].value, needed = result.figures[2].value
        if disk < 1.5 * needed {
            result.notes.append("the disk hardly takes the source frames, let alone anything else")
        }
        result.faults = faults
        return result
    }

    /// The bytes that a frame takes in the library.
    private func frameBytes(_ library: PhotoLibrary) throws -> Int {
        guard let newest = try library.photos(LibraryPage(limit: 1, unfinishedOnly: true)).first else { return 0 }
        let frames = try library.frames(of: newest.id)
        return frames.reduce(0) { $0 + $1.metadata.byteCount } / max(1, frames.count)
    }

    /// The rate, in bytes per second, at which the disk accepts new data in one go.
    private func diskRate(_ folder: String) throws -> Double {
        let path = "\(folder)/plain", bytes = noise(32 << 20, seed: 5)
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw BenchFolderError(path: path, errno: errno) }
        defer {
            close(file)
            unlink(path)
        }
        let begun = Timestamp.now
        var done = 0
        while done < bytes.count {
            let put = bytes.withUnsafeBytes { write(file, $0.baseAddress! + done, bytes.count - done) }
            guard put > 0 else { throw BenchFolderError(path: path, errno: errno) }
            done += put
        }
        guard fsync(file) == 0 else { throw BenchFolderError(path: path, errno: errno) }
        return Double(bytes.count) / (Timestamp.now - begun).seconds
    }
}
