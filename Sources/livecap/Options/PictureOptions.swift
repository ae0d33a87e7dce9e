// SPDX-License-Identifier: MIT
// The settings of a command's pictures, checked, with defaults filled in.

import Fusion
import Glibc
import LiveCapture
import LivecapCommandTable
import LivecapEffects
import LivecapFiles
import LivecapFrames
import LivecapStills

struct PictureOptions {
    let settings: PhotoSettings
    /// The kernels; if nil, the session chooses.
    let level: KernelLevel?
    let threads: Int
    let output: String
    let mayReplace: Bool
    /// Whether reports for people say everything.
    let isVerbose: Bool

    /// The files of `count` pictures, and with `keepsPlain` of the plain ones of those into which something is drawn.
    /// If they go to standard output, results go to standard error.
    func files(count: Int, keepsPlain: Bool = true, _ console: inout Console) throws(Failure) -> PhotoFiles {
        if OutputTarget.descriptor(namedBy: output) == STDOUT_FILENO { try console.leaveStandardOutput() }
        return try creating { () throws(FileError) in
            let files = try PhotoFiles(output, settings.format, count: count, mayReplace: mayReplace)
            guard keepsPlain, settings.hasDrawing else { return files }
            try files.checkPlain()
            if !files.takesPlain {
                let drawn = settings.drawnEffects == nil ? "a date" : "effects"
                Console.note("note: \(output) takes pictures with \(drawn), and no plain ones")
            }
            return files
        }
    }

    /// The settings on the command line. Those left out have their defaults, or the values in `request`.
    /// `effects` are drawn into the pictures.
    init(
        _ arguments: Arguments, of request: PhotoRequest? = nil, effects: EffectSettings? = nil
    ) throws(Failure) {
        let before = request?.settings
        let quality = arguments[ShootOptions.quality] ?? before?.quality ?? .balanced
        let reference = arguments[ShootOptions.reference] ?? before?.reference ?? .tap
        // A number of frames in the request was meant for the request's quality only.
        let isSame = quality == before?.quality
        var wish = PhotoSettings(
            quality: quality, frames: arguments[ShootOptions.frames] ?? (isSame ? before?.frames : nil),
            laterFrames: arguments[ShootOptions.after] ?? (isSame ? before?.laterFrames : nil) ?? 0,
            reference: reference)
        if wish.takesNearestAlone && ((wish.frames ?? 1) > 1 || wish.laterFrames > 0) {
            // A note instead of an error, so that one command line can be used to compare all qualities.
            Console.note(
                "note: \(quality.rawValue) uses only the frame nearest the moment: --frames and --after change nothing"
            )
            wish.frames = nil
            wish.laterFrames = 0
        }
        let (after, frames) = (wish.laterFrames, wish.demand.count)
        if after >= frames && after > 0 {
            throw .pictures(
                "--after: \(after) of \(counted(frames, "frame")) cannot all be after the moment, because one shows it",
                hint: "choose --frames \(after + 1), or "
                    + (frames == 1 ? "leave --after out" : "--after \(frames - 1) or less"))
        }
        output = arguments[ShootOptions.output] ?? "."
        let asked = arguments.all(ShootOptions.format).compactMap { wish -> StillFormat? in
            if case .picture(let format) = wish { format } else { nil }
        }
        let format = asked.last ?? StillFormat(suffixOf: output) ?? before?.format ?? .jpeg
        var metadata = PhotoMetadata()
        metadata.software = BuildInformation.program
        metadata.orientation = arguments.orientation ?? before?.metadata.orientation ?? .up
        settings = PhotoSettings(
            quality: quality, frames: wish.frames, laterFrames: wish.laterFrames, reference: reference, format: format,
            depth: arguments[ShootOptions.depth],
            encodeQuality: arguments[ShootOptions.encodeQuality], metadata: metadata,
            followsRotation: request == nil && arguments.orientation == nil,
            zoom: arguments[ViewOptions.zoom] ?? before?.zoom, effects: effects ?? before?.effects,
            date: arguments.namesDate(again: request != nil) ? arguments.date : before?.date,
            includesComparison: arguments.contains(ShootOptions.comparison),
            includesExplanation: arguments.contains(ShootOptions.explanation),
            deferral: try Self.deferral(arguments), keepsFrames: try Self.keepsFrames(arguments))
        if let problem = settings.problem ?? format.lack { throw .photo(problem) }
        level = arguments[ShootOptions.kernels]
        threads = arguments[ShootOptions.threads] ?? min(64, ThreadPool.processors)
        mayReplace = arguments[ShootOptions.overwrite]
        isVerbose = arguments[ShootOptions.verbose]
    }
}

extension PictureOptions {
    private static func deferral(_ arguments: Arguments) throws(Failure) -> DeferralPreference {
        let wish = arguments[EngineOptions.deferral] ?? .automatic
        guard wish == .required, !arguments.contains(LibraryPlace.option) else { return wish }
        throw .pictures(
            "--defer required needs a library to keep the frames in", hint: "name one with --library DIR")
    }
}

extension PictureOptions {
    private static func keepsFrames(_ arguments: Arguments) throws(Failure) -> Bool {
        guard arguments[EngineOptions.keepFrames] else { return false }
        guard arguments.contains(LibraryPlace.option) else {
            throw .pictures(
                "--keep-frames needs a library to keep the frames in", hint: "name one with --library DIR")
        }
        return true
    }
}

extension Arguments {
    /// Refuses options that would have no effect, for the reason given.
    func refuse(_ options: [any Declared], as reason: String) throws(Failure) {
        guard let option = options.first(where: { isTyped($0) }) else { return }
        throw .pictures("--\(option.declaration.name): \(reason)", hint: "leave it out")
    }
}

extension Failure {
    /// An error for a command line that contradicts itself.
    static func pictures(_ message: String, hint: String) -> Failure { .usage(UsageError(message, hint: hint)) }
}
