// SPDX-License-Identifier: MIT
// What movies are like that pages start.

import LiveCapture
import LivecapMovies
import LivecapSound
import LivecapStreams
import LivecapThreads

/// What movies are like that pages start.
package struct PageMovies: Sendable {
    /// Their names, and their folder.
    package var names: MovieNames
    /// By default, what browsers play.
    package var kind = MovieContainer.mp4
    /// How far back they begin.
    package var past = Duration.zero
    package var sound = PageSound.none
    /// Whether another camera may go on in them by itself.
    package var changeCameras = false
    /// What encoders of movies aim at; nil for what suits most movies.
    package var quality: MovieQuality?
    /// Makes the frames of movies; nil if those are the session's own.
    package var stage: StageHost?

    /// Movies in the folder of `names`; the rest has its default.
    package init(_ names: MovieNames) { self.names = names }
}

/// Where the sound of movies comes from that pages start.
package enum PageSound: Sendable {
    /// They are silent.
    case none
    /// From a microphone of `directory`, which is opened for each movie: its sound begins when the movie is asked for.
    case microphone(MicrophoneChoice, in: any SoundDirectory, gain: Double)
    /// From a microphone that is open for others.
    case shared(SoundCapture)

    /// Opens the microphone for a movie of a session; nil for a silent one.
    /// - Throws: why the microphone cannot be used.
    func open(_ session: CaptureSession) async throws(SoundError) -> SoundCapture? {
        switch self {
        case .none: return nil
        case .shared(let capture): return capture
        case .microphone(let choice, let directory, let gain):
            guard session.source.clock == .monotonic else { throw .otherClock }
            let capture = try await onThread(named: "microphone") { () throws(SoundError) in
                try session.openMicrophone(choice, in: directory, past: .zero)
            }
            capture.gain = gain
            return capture
        }
    }

    /// Closes what `open` has opened. Returns once the device is free.
    func close(_ capture: SoundCapture?) async { await onThread(named: "microphone") { closeNow(capture) } }

    /// The same for callers that may block.
    func closeNow(_ capture: SoundCapture?) { if case .microphone = self { capture?.stop() } }
}
