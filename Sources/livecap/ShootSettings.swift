// SPDX-License-Identifier: MIT
// What `livecap shoot` was asked for, checked and with everything filled in that was left out.

import Camera
import CommandTable
import Frames
import FusionKernels
import Stills

struct ShootSettings {
    let moments: [TimeSpan]
    let method: StillMethod
    /// Frames in all.
    let frames: Int
    /// How many of them may be later than the moment.
    let after: Int
    let reference: ReferenceChoice
    let format: StillFormat
    let depth: PNGEncoder.Depth
    let level: KernelLevel
    let threads: Int
    let output: String
    let mayReplace: Bool

    /// The most pictures one command takes.
    private static let mostMoments = 100_000

    init(_ arguments: Arguments) throws(Failure) {
        moments = try Self.moments(arguments)
        method = arguments[ShootOptions.quality] ?? .fused(.balanced)
        reference = arguments[ShootOptions.reference] ?? .tap
        let usual = method.needsOneFrame && reference == .sharpest ? 8 : method.usualFrames
        frames = arguments[ShootOptions.frames] ?? usual
        after = arguments[ShootOptions.after] ?? 0
        if method.needsOneFrame && reference == .tap && (frames > 1 || after > 0) {
            throw .shoot(
                "\(frames > 1 ? "--frames" : "--after"): \(method.name) uses the frame nearest the moment alone",
                hint: "leave --frames and --after out, or take --quality balanced, which merges frames")
        }
        if after >= frames && after > 0 {
            throw .shoot(
                "--after: \(after) of \(counted(frames, "frame")) cannot be later than the moment, for one is its own",
                hint: "take --frames \(after + 1), or "
                    + (frames == 1 ? "leave --after out" : "--after \(frames - 1) or less"))
        }
        output = arguments[ShootOptions.output] ?? "."
        let asked = arguments.all(ShootOptions.format).compactMap { wish -> StillFormat? in
            if case .picture(let format) = wish { format } else { nil }
        }
        format = asked.last ?? StillFormat(suffixOf: output) ?? .jpeg
        depth = arguments[ShootOptions.depth] ?? .sixteen
        if arguments.contains(ShootOptions.depth) && format != .png {
            throw .shoot("--depth: only PNG pictures have a choice", hint: "name the picture .png, or leave it out")
        }
        level = try Self.level(arguments[ShootOptions.kernels])
        threads = arguments[ShootOptions.threads] ?? min(64, ThreadPool.processors)
        mayReplace = arguments[ShootOptions.overwrite]
    }

    private static func moments(_ arguments: Arguments) throws(Failure) -> [TimeSpan] {
        let starts = arguments.all(ShootOptions.at).isEmpty ? [.zero] : arguments.all(ShootOptions.at)
        let count = arguments[ShootOptions.count] ?? 1
        if arguments.contains(ShootOptions.interval) && !arguments.contains(ShootOptions.count) {
            throw .shoot("--interval: nothing says how many pictures there are to be", hint: "add --count N")
        }
        guard starts.count * count <= mostMoments else {
            throw .shoot("\(starts.count * count) pictures are too many at once", hint: "take a smaller --count")
        }
        let interval = arguments[ShootOptions.interval] ?? .milliseconds(1000)
        return starts.flatMap { start in (0..<count).map { start + interval * Int64($0) } }
    }

    private static func level(_ asked: KernelLevel?) throws(Failure) -> KernelLevel {
        do throws(FusionError) {
            let level = if let asked { asked } else { try KernelLevel.chosen() }
            guard level.isSupported else { throw .unsupportedLevel(level.rawValue, supported: KernelLevel.supported) }
            return level
        } catch .unsupportedLevel(let name, let supported) {
            let names = supported.map(\.rawValue).joined(separator: ", ")
            throw .shoot("this processor has no kernels '\(name)'", hint: "it has \(names)")
        } catch {
            throw .shoot("\(error)", hint: "leave --kernels out")
        }
    }
}

extension Failure {
    /// A line of `shoot` whose words contradict each other.
    fileprivate static func shoot(_ message: String, hint: String) -> Failure {
        .usage(UsageError(message, hint: hint))
    }
}
