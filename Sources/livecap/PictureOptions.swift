// SPDX-License-Identifier: MIT
// What pictures a command is to make, checked and with everything filled in that was left out.

import Camera
import CommandTable
import Frames
import FusionKernels
import LiveCapture
import Stills

struct PictureOptions {
    let settings: PhotoSettings
    /// Where nil, the session chooses.
    let level: KernelLevel?
    let threads: Int
    let output: String
    let mayReplace: Bool

    init(_ arguments: Arguments) throws(Failure) {
        let quality = arguments[ShootOptions.quality] ?? .balanced
        let reference = arguments[ShootOptions.reference] ?? .tap
        var (frames, after) = (arguments[ShootOptions.frames], arguments[ShootOptions.after] ?? 0)
        let usual = quality.needsOneFrame && reference == .sharpest ? 8 : quality.usualFrames
        if quality.needsOneFrame && reference == .tap && ((frames ?? 1) > 1 || after > 0) {
            // So that one line compares all qualities.
            Console.tell(
                "note: \(quality.rawValue) uses the frame nearest the moment alone: --frames and --after change nothing"
            )
            (frames, after) = (nil, 0)
        }
        if after >= frames ?? usual && after > 0 {
            let frames = frames ?? usual
            throw .pictures(
                "--after: \(after) of \(counted(frames, "frame")) cannot be later than the moment, for one is its own",
                hint: "take --frames \(after + 1), or "
                    + (frames == 1 ? "leave --after out" : "--after \(frames - 1) or less"))
        }
        output = arguments[ShootOptions.output] ?? "."
        let asked = arguments.all(ShootOptions.format).compactMap { wish -> StillFormat? in
            if case .picture(let format) = wish { format } else { nil }
        }
        let format = asked.last ?? StillFormat(suffixOf: output) ?? .jpeg
        var metadata = PhotoMetadata()
        (metadata.software, metadata.orientation) = (
            "livecap \(Livecap.version)", arguments[ShootOptions.turned] ?? .up
        )
        settings = PhotoSettings(
            quality: quality, frames: frames, after: after, reference: reference, format: format,
            depth: arguments[ShootOptions.depth],
            encodeQuality: arguments[ShootOptions.encodeQuality], metadata: metadata,
            isCompared: arguments.contains(ShootOptions.comparison),
            isExplained: arguments.contains(ShootOptions.explanation))
        if let problem = settings.problem { throw .photo(problem) }
        level = arguments[ShootOptions.kernels]
        threads = arguments[ShootOptions.threads] ?? min(64, ThreadPool.processors)
        mayReplace = arguments[ShootOptions.overwrite]
    }
}

extension Failure {
    /// A line whose words contradict each other.
    static func pictures(_ message: String, hint: String) -> Failure { .usage(UsageError(message, hint: hint)) }
}
