// SPDX-License-Identifier: MIT
// When a movie begins: with the first frame, once enough of the past is in memory, or at a tap.

import Camera
import FrameRing
import Glibc
import LiveCapture
import LivecapCommandTable
import LivecapFrames
import LivecapMovies
import LivecapThreads
import Shutter

/// The beginning of a movie, as the command line asks for it.
final class MovieBeginning {
    /// How much of the past belongs to it.
    let past: Duration
    private let isTapped: Bool
    /// History beyond that: what is read meanwhile must not leave it.
    private let margin: Duration
    /// Whether lines on standard input are taps, and no frames.
    private let readsInput: Bool
    private let taps = Taps()
    private var signals: SignalShutter?
    private var terminal: TerminalShutter?
    /// What else begins it.
    private let choices: [TriggerChoice]
    private var triggers: MovieTriggers?

    /// What a movie begins at.
    private enum First: Sendable {
        /// A tap, by this machine's clock.
        case tap(Timestamp)
        case cause(TriggerCause)
    }

    /// The taps of the first and of the second time.
    private final class Taps: Sendable {
        private let first = Guarded<First?>(nil)
        private let second = Guarded<(@Sendable () -> Void)?>(nil)
        private let whenTapped = Guarded<(@Sendable () -> Void)?>(nil)

        /// The first tap is noted; the second one ends the movie.
        func take(_ event: ShutterEvent) {
            guard case .pressed(let time) = event else { return }
            if !isFirst(.tap(time)) { second.withLock { $0 }?() }
        }

        /// What a trigger has noticed is a first tap. Returns whether it was the first.
        func take(_ cause: TriggerCause) -> Bool { isFirst(.cause(cause)) }

        /// The movie that a trigger has begun is over.
        func end() { second.withLock { $0 }?() }

        private func isFirst(_ new: First) -> Bool {
            let isFirst = first.withLock { first in
                defer { first = first ?? new }
                return first == nil
            }
            if isFirst { whenTapped.withLock { $0 }?() }
            return isFirst
        }

        func onFirst(_ action: @escaping @Sendable () -> Void) { whenTapped.withLock { $0 = action } }

        func onSecond(_ action: @escaping @Sendable () -> Void) { second.withLock { $0 = action } }

        /// The first tap.
        var beginning: First? { first.withLock { $0 } }
    }

    init(_ arguments: Arguments, past: Option<Duration>, isTapped: Bool) throws(Failure) {
        self.past = arguments[past] ?? .zero
        choices = TriggerOptions.choices(
            arguments, TriggerOptions.beginning, quiet: TriggerOptions.usualQuiet(films: true))
        self.isTapped = isTapped
        readsInput = RunShutters.standardInputTells && arguments[SourceOptions.replay] != "-"
        // The movie begins with a picture that needs no other, of which cameras send one every few seconds.
        margin = arguments.request.pixelFormat == .h264 ? .seconds(10) : .seconds(1)
        if waits, arguments[SourceOptions.pace] == .fast {
            throw .pictures(
                "a movie that begins in the past, or at a tap, needs frames at their own pace",
                hint: "leave out --pace fast")
        }
        if let ring = arguments.askedHistory, ring < self.past {
            throw .pictures(
                "--ring \(fixed(ring.seconds, 1))s keeps less than --pre \(fixed(self.past.seconds, 1))s",
                hint: "leave out --ring, or make it longer")
        }
    }

    /// Whether the source runs before the movie begins.
    var waits: Bool { isTapped || past > .zero }
    /// The history that the ring must keep.
    var neededHistory: Duration { past > .zero || !choices.isEmpty ? past + margin : .zero }
    /// What has begun it, if no tap has.
    var cause: TriggerCause? { if case .cause(let cause) = taps.beginning { cause } else { nil } }
    /// Whether motion begins it.
    var watches: Bool { choices.contains { $0.kind == .motion } }
    /// Whether sounds begin it.
    var listens: Bool { choices.contains { $0.kind == .sound } }

    /// Starts the source and the movie. Returns when it was asked for, unless that is when it began.
    func begin(
        _ movie: MovieFileOutput, _ host: Host, _ microphone: MovieMicrophone?, to path: String
    ) throws(Failure) -> Timestamp? {
        try host.requireHistory(past, for: "--pre")
        let hasKeys = readsInput && isatty(STDIN_FILENO) == 1
        if !isTapped, hasKeys { try listenForKeys(movie, host, microphone) }
        let sound = microphone.map { ", with the sound of \($0.name)" } ?? ""
        let source = host.session.source.inWords
        guard waits else {
            let ends = host.session.source.frameCount == nil ? "; \(Interruption.howToEnd) ends it" : ""
            Console.note("filming \(source)\(sound) to \(path)\(ends)")
            if hasKeys { Console.note(MovieKeys.words(microphone)) }
            movie.start()
            host.session.begin()
            return nil
        }
        var reach = HistoryReach(host.session.ring, interval: host.session.frameInterval)
        if isTapped {
            try listen(movie, host, microphone)
            let taps = taps
            triggers = try MovieTriggers(choices, host, microphone?.capture, began: { taps.take($0) }, ended: taps.end)
        }
        host.session.begin()
        if isTapped {
            Console.note("\(source)\(sound): \(waysToTap)")
        } else if !host.isOfOther {
            Console.note("waiting until \(fixed(past.seconds, 1)) s are in memory; \(Interruption.howToEnd) ends")
        }
        let asked = isTapped ? waitForTap(host) : try waitForHistory(host, &reach)
        guard let asked else {
            // Ended before: by a signal, or the source's end.
            movie.stop()
            return nil
        }
        movie.start(at: asked - past)
        if host.isOfOther, let oldest = host.session.ring.oldest?.time {
            host.noteLack(of: past, from: asked - oldest, "movie")
        }
        if isTapped { taps.onSecond { movie.stop() } }
        // Where it ended before that was known.
        if triggers?.hasEnded == true { movie.stop() }
        if let cause { Console.note("triggered by \(cause.words)") }
        let end = cause != nil ? "quiet, or a tap," : isTapped ? "another tap" : Interruption.howToEnd
        Console.note("filming \(isTapped ? "" : "\(source)\(sound) ")to \(path); \(end) ends it")
        return asked
    }

    /// Accepts no more taps, and restores the terminal.
    func close() {
        signals?.close()
        terminal?.close()
        triggers?.close()
    }

    private func listenForKeys(
        _ movie: MovieFileOutput, _ host: Host, _ microphone: MovieMicrophone?
    ) throws(Failure) {
        let sound = microphone?.capture
        do throws(ShutterError) {
            let terminal = try TerminalShutter(onKey: { MovieKeys.press($0, movie, sound) })
            self.terminal = terminal
            host.interruption.onEnd { terminal.restoreTerminal() }
        } catch { throw .shutter(error) }
    }

    private func listen(
        _ movie: MovieFileOutput, _ host: Host, _ microphone: MovieMicrophone?
    ) throws(Failure) {
        let (taps, sound) = (taps, microphone?.capture)
        do throws(ShutterError) {
            let signals = try SignalShutter { taps.take($0) }
            self.signals = signals
            if signals.earlyPresses > 0 {
                Console.note("note: \(counted(signals.earlyPresses, "tap")) by signal came too early and was not taken")
            }
            guard readsInput else { return }
            let terminal = try TerminalShutter(
                onEvent: { taps.take($0) },
                onKey: { MovieKeys.press($0, movie, sound) })
            self.terminal = terminal
            host.interruption.onEnd { terminal.restoreTerminal() }
        } catch { throw .shutter(error) }
    }

    private var waysToTap: String {
        var ways = ["'kill -USR1 \(getpid())'"]
        if let terminal { ways.insert(terminal.isTerminal ? "Enter or space" : "a line on standard input", at: 0) }
        ways += choices.map(\.words)
        let past = past > .zero ? " \(fixed(past.seconds, 1)) s before" : ""
        return "\(ways.joined(separator: ", or ")) begins the movie\(past); \(Interruption.howToEnd) ends"
    }

    /// The time of the first tap, on the source's clock; nil if the source ended or a signal came before.
    private func waitForTap(_ host: Host) -> Timestamp? {
        let (attention, ring) = (host.attention, host.session.ring)
        taps.onFirst {
            attention.call()
            ring.wakeWaiters()
        }
        var mishaps = host.mishaps
        while host.interruption.signal == nil, !ring.isEnded {
            // Before anything is looked at, so that no call is missed.
            let seen = attention.count
            host.report(&mishaps)
            let tap = taps.beginning
            if let tap, let moment = moment(of: tap, host) { return moment }
            // For the first frame, whose time is that of a tap before it; else for the end, or a call.
            ring.wait(forCounter: tap == nil ? .max : 0) {
                attention.count != seen || host.interruption.signal != nil
            }
        }
        return nil
    }

    /// Waits until so much of the past is in memory; at a source's end, what there is. What another livecap has is
    /// there at once, before its first frame of the present.
    private func waitForHistory(_ host: Host, _ reach: inout HistoryReach) throws(Failure) -> Timestamp? {
        let (attention, ring, begun) = (host.attention, host.session.ring, Timestamp.now)
        var mishaps = host.mishaps
        var newest = Timestamp(nanoseconds: .min)
        while host.interruption.signal == nil {
            // Before anything is looked at, so that nothing is missed.
            let (seen, next) = (attention.count, ring.nextCounter)
            host.report(&mishaps)
            guard let time = ring.newestTime, time > newest else {
                if ring.isEnded { return ring.newestTime }
                ring.wait(forCounter: next) { attention.count != seen || host.interruption.signal != nil }
                continue
            }
            newest = time
            if host.isOfOther {
                guard time >= begun else { continue }
                return begun
            }
            switch reach.verdict(past: past, framesBefore: 0) {
            case .growing: continue
            case .reached: return newest
            case .tooShort(let span):
                throw .camera(
                    .badSettings(
                        "\(fixed(past.seconds, 2)) s back exceeds the history, which holds \(fixed(span.seconds, 2)) s",
                        hint: host.session.granted.limit.words))
            }
        }
        return nil
    }

    /// The time of a tap on the source's clock; nil if that is not known before the first frame.
    private func moment(of first: First, _ host: Host) -> Timestamp? {
        switch first {
        case .cause(let cause) where cause.kind == .motion: cause.time
        case .cause(let cause): moment(of: .tap(cause.time), host)
        case .tap(let time): host.session.source.clock == .monotonic ? time : host.session.ring.newestTime
        }
    }
}
