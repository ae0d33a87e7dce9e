// SPDX-License-Identifier: MIT
// Keeps a file at the newest frame, for programs that look at pictures from time to time.

import LiveCapture
import LivecapCommandTable
import LivecapFiles
import LivecapFrames
import LivecapStills
import Synchronization

/// Replaces a file with a picture of the newest frame once a second, while livecap is armed.
struct LatestFrame {
    private let files: PhotoFiles
    private let settings: PhotoSettings
    private let state = State()
    private var nextTime = Timestamp.zero

    /// The state that the pictures' tasks share.
    private final class State: Sendable {
        let isBusy = Atomic<Bool>(false)
        let hasFailed = Atomic<Bool>(false)
    }

    /// The file's format, by its suffix. Nil if no file is asked for.
    static func format(_ arguments: Arguments) -> StillFormat? {
        arguments[RunOptions.latest].map { StillFormat(suffixOf: $0) ?? .jpeg }
    }

    /// Nil if no file is asked for.
    init?(_ arguments: Arguments, _ pictures: PictureOptions) throws(Failure) {
        guard let path = arguments[RunOptions.latest], let format = Self.format(arguments) else { return nil }
        guard OutputTarget(path) == .file else {
            throw .pictures("--latest: \(path) is not a regular file", hint: "name a file that may be replaced")
        }
        if let lack = format.lack { throw .photo(lack) }
        settings = PhotoSettings(
            quality: .speed, format: format, metadata: pictures.settings.metadata,
            followsRotation: pictures.settings.followsRotation, zoom: pictures.settings.zoom,
            date: pictures.settings.date, deferral: .never)
        files = try creating { () throws(FileError) in
            try PhotoFiles(path, format, count: 1, mayReplace: true, keepsPlain: false)
        }
        guard files.isOneFile else {
            throw .pictures("--latest: \(path) names one file per picture", hint: "name a single file, without %")
        }
    }

    /// Takes a picture if the last one is a second old and done.
    mutating func keep(_ host: Host, at now: Timestamp) {
        guard now >= nextTime, !state.isBusy.load(ordering: .acquiring) else { return }
        nextTime = now + .milliseconds(1000)
        state.isBusy.store(true, ordering: .relaxed)
        let (capture, state) = (host.output.capture(settings, at: .now, into: files), state)
        Task.detached(executorPreference: host.tasks) {
            for await event in capture {
                if case .failed(let error) = event, error != .cancelled,
                    !state.hasFailed.exchange(true, ordering: .relaxed)
                {
                    Console.note("note: --latest: \(error.message)")
                }
            }
            // Pairs with the acquiring load above.
            state.isBusy.store(false, ordering: .releasing)
        }
    }
}
