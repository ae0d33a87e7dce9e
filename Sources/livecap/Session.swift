// SPDX-License-Identifier: MIT
// A capture session as the command line asked for it, and what people are told of it.

import Camera
import CommandTable
import Dispatch
import FrameRing
import Frames
import LiveCapture
import Synchronization

/// A session, stopped by the first signal.
struct Session {
    let session: CaptureSession
    let interruption: Interruption
    private let trace: Trace?
    private let arguments: Arguments

    var output: PhotoOutput { session.photoOutput }
    var clock: SourceClock { session.description.clock }

    /// Opens the source. Frames flow when `session` is started.
    init(
        _ arguments: Arguments, _ pictures: PictureOptions, scenePace: Pace, replayPace: Pace,
        _ interruption: Interruption, stopsBySignal: Bool = true
    ) throws(Failure) {
        let source = try arguments.captureSource(scenePace: scenePace, replayPace: replayPace)
        // The source first: where there is none, no library and no trace are made.
        let gate = FollowerGate()
        let opened: any FrameSource
        do throws(CameraError) { opened = try source.open(gate) } catch { throw .camera(error) }
        let options = try arguments.sessionOptions(pictures)
        do throws(CameraError) {
            session = try CaptureSession(opened, gate: source.pace == .fast ? gate : nil, options)
        } catch { throw .camera(error) }
        (self.interruption, self.arguments, trace) = (interruption, arguments, options.trace)
        let session = session
        // Shots that have their frames are finished, the others fail.
        if stopsBySignal { interruption.onSignal { session.stop() } }
    }

    /// Ends the session and its trace, and tells what people should know of it.
    func close() {
        session.stop()
        let dropped = session.statistics.dropped
        if dropped > 0 { Console.tell("note: \(dropped) frames dropped because every frame in memory was held") }
        if let outcome = trace?.close(), let failure = outcome.failure {
            Console.tell("note: the trace is not whole: \(failure.message)")
        }
    }

    /// Tells people when they are given less than they asked for: another rate, a shorter history and what holds it down.
    func tellGrant() {
        let (granted, asked) = (session.granted, session.history)
        if let asked = arguments.request.rate, let rate = session.description.rate, !rate.isAbout(asked) {
            Console.tell("note: frames come at \(rate) fps, not at \(asked) fps as asked for")
        }
        // A frame's time less is rounding.
        guard granted.usualDuration + session.frameInterval < asked else { return }
        Console.tell(
            "note: the history is \(fixed(granted.usualDuration.seconds, 2)) s, not \(fixed(asked.seconds, 2)) s: "
                + "the memory, or the driver's buffers, hold no more; --memory may allow more")
    }

    /// Why there is nothing to show where a signal came before the first frame.
    var interruptedBeforeFrames: Failure? {
        guard let signal = interruption.signal, session.ring.newestTime == nil else { return nil }
        return .interrupted(signal: signal, isBeforeFrames: true)
    }

    /// Waits until there is as much history as a moment and the frames before it need, and the exposure has settled; the
    /// present, which moments are counted from. Nil when the stream ended, or a signal came, before that.
    func present(earliest: TimeSpan, framesBefore: Int) throws(Failure) -> Timestamp? {
        let granted = session.granted.duration
        if granted < .zero - earliest {
            throw .camera(
                .badSettings(
                    "\(earliest.magnitude.milliseconds) ms back is more than the history of \(fixed(granted.seconds, 2)) s",
                    hint: "ask for more with --ring, allow more with --memory, or take a smaller --size"))
        }
        let before = session.frameInterval * Int64(framesBefore)
        let history = max(.zero - earliest, min(before - earliest, granted))
        var (first, newest): (Timestamp?, Timestamp?) = (nil, nil)
        while interruption.signal == nil {
            switch session.ring.wait(
                forNewerThan: newest ?? Timestamp(nanoseconds: .min), until: .now + .milliseconds(200))
            {
            case .ended: return nil
            case .timedOut: continue
            case .arrived: break
            }
            newest = session.ring.newestTime
            first = first ?? newest
            if let first, let newest, newest - first >= history, session.isExposureDone { return .now }
        }
        return nil
    }
}

extension FrameRate {
    /// Whether they differ by no more than a hundredth, as 30 and 29.97 do.
    func isAbout(_ other: FrameRate) -> Bool {
        abs(framesPerSecond - other.framesPerSecond) <= other.framesPerSecond / 100
    }
}

/// Runs what is asynchronous from a thread that is not Swift's, and waits for it.
func waiting<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) -> Result {
    let result = Mutex<Result?>(nil)
    let done = DispatchSemaphore(value: 0)
    Task.detached {
        let value = await body()
        result.withLock { $0 = value }
        done.signal()
    }
    done.wait()
    return result.withLock { $0 }!
}
