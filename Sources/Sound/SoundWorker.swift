// SPDX-License-Identifier: MIT
// The work of the thread that captures sound.

import FrameRing
import LivecapFrames
import LivecapThreads
import Synchronization

/// A microphone that was opened.
struct OpenedMicrophone {
    let microphone: Microphone
    let source: any SoundSource
}

/// Reads one microphone after the other. `@unchecked Sendable`: created by one thread, then used only by the capture's.
final class SoundWorker: @unchecked Sendable {
    private let choice: MicrophoneChoice
    private let directory: any SoundDirectory
    private let history: SoundHistory
    private let fader: SoundFader
    private let state: SoundState
    private let samples: UnsafeMutableBufferPointer<Float>

    private var opened: OpenedMicrophone?
    private var figures = SoundFigures()
    private var quietSince = Timestamp.now
    private var stalls = 0
    /// Interruptions without a sample in between: some devices report these when they have gone.
    private var barren = 0
    private var nextLook = Timestamp.now
    /// Microphones that could not be opened, and when they are tried again.
    private var failed: [Microphone: Timestamp] = [:]

    /// How often the thread looks which microphones there are.
    private static let look = Duration.milliseconds(500)
    /// A device that delivers nothing for so long is started anew; after as many times as this it counts as gone.
    private static let stall = Duration.seconds(2)
    private static let stallLimit = 3
    private static let barrenLimit = 8
    private static let again = Duration.seconds(3)
    /// Each try of a source that PipeWire does not connect takes seconds, in which nothing else is read.
    private static let muchLater = Duration.seconds(30)

    init(
        _ choice: MicrophoneChoice, directory: any SoundDirectory, opened: OpenedMicrophone,
        history: SoundHistory,
        fader: SoundFader, state: SoundState
    ) {
        self.choice = choice
        self.directory = directory
        self.opened = opened
        self.history = history
        self.fader = fader
        self.state = state
        samples = .allocate(capacity: 1 << 14)
        use(opened)
    }

    deinit { samples.deallocate() }

    /// Opens the first of the choice's candidates that can be opened.
    static func open(
        _ choice: MicrophoneChoice, _ directory: any SoundDirectory, _ camera: String?
    ) throws(SoundError) -> OpenedMicrophone {
        var candidates = choice.candidates(directory.microphones(), camera: camera)
        // What is no card of its own, such as PipeWire's default, is in no list.
        if case .only(let id) = choice, candidates.isEmpty {
            candidates = [try directory.microphone(named: id)]
        }
        var failure = SoundError.noMicrophone
        for (number, candidate) in candidates.enumerated() {
            do throws(SoundError) { return try open(candidate, directory) } catch {
                // The best one's reason is the one that counts.
                if number == 0 { failure = error }
            }
        }
        throw failure
    }

    private static func open(
        _ microphone: Microphone, _ directory: any SoundDirectory
    ) throws(SoundError) -> OpenedMicrophone {
        let source = try directory.open(microphone)
        try source.start()
        return OpenedMicrophone(microphone: microphone, source: source)
    }

    /// The body of the thread.
    func run() {
        while !state.isEnding {
            if let opened {
                take(opened.source.read(into: samples, until: .now + .milliseconds(100)), opened)
            } else {
                _ = state.signal.wait(until: nextLook) { state.isEnding }
            }
            if Timestamp.now >= nextLook {
                nextLook = .now + Self.look
                choose()
            }
        }
        history.end()
        // Frees the device, even if a reader still holds the history.
        opened = nil
    }

    private func take(_ event: SoundEvent, _ opened: OpenedMicrophone) {
        switch event {
        case .frames(let count, let stamp):
            quietSince = .now
            (stalls, barren) = (0, 0)
            let format = opened.source.format
            let block = UnsafeMutableBufferPointer(rebasing: samples[..<(count * format.channels)])
            fader.apply(block, seconds: Double(count) / Double(format.rate))
            let isWhole = history.append(
                UnsafeBufferPointer(block), count: count, channels: format.channels, stamp)
            if !isWhole { restart(opened) }
        case .timedOut:
            guard Timestamp.now - quietSince > Self.stall else { return }
            stalls += 1
            if stalls > Self.stallLimit { lose(opened, .disconnected(opened.microphone.name)) } else { restart(opened) }
        case .interrupted(let why):
            history.begin()
            quietSince = .now
            barren += 1
            guard barren <= Self.barrenLimit else { return lose(opened, .disconnected(opened.microphone.name)) }
            switch why {
            case .overrun: figures.overruns += 1
            case .suspended: figures.suspensions += 1
            }
            publish()
        case .gone(let error): lose(opened, error)
        }
    }

    /// Starts a device anew whose count cannot be trusted any longer.
    private func restart(_ opened: OpenedMicrophone) {
        figures.restarts += 1
        quietSince = .now
        fader.rest()
        do throws(SoundError) {
            try opened.source.start()
            history.begin()
            publish()
        } catch { lose(opened, error) }
    }

    private func lose(_ lost: OpenedMicrophone, _ error: SoundError) {
        history.end()
        fader.rest()
        opened = nil
        figures.microphone = nil
        failed[lost.microphone] = .now + .milliseconds(200)
        nextLook = .now
        publish()
        state.note(.gone(error))
    }

    /// Goes over to the best microphone, if that is another one.
    private func choose() {
        let now = Timestamp.now
        failed = failed.filter { $0.value > now }
        let all = directory.microphones()
        for candidate in choice.candidates(all, camera: state.camera) {
            if candidate.id == opened?.microphone.id { return }
            guard failed[candidate] == nil else { continue }
            if change(to: candidate) { return }
        }
        // A device that is no card of its own is in no list, and is tried as long as it is away.
        guard opened == nil, case .only(let id) = choice, !all.contains(where: { $0.id == id }) else { return }
        guard let named = try? directory.microphone(named: id), failed[named] == nil else { return }
        _ = change(to: named)
    }

    private func change(to candidate: Microphone) -> Bool {
        do throws(SoundError) {
            let next = try Self.open(candidate, directory)
            history.end()
            figures.changes += 1
            use(next)
            state.note(.using(candidate))
            return true
        } catch {
            let isSlow = if case .notConnected = error { true } else { false }
            failed[candidate] = .now + (isSlow ? Self.muchLater : Self.again)
            state.note(.passedOver(error))
            return false
        }
    }

    private func use(_ next: OpenedMicrophone) {
        opened = next
        (quietSince, stalls, barren) = (.now, 0, 0)
        history.begin()
        figures.microphone = next.microphone
        figures.claimedRate = next.source.format.rate
        publish()
    }

    private func publish() {
        let figures = figures
        state.publish(figures)
    }
}
