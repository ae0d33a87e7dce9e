// SPDX-License-Identifier: MIT
// What movies are like that pages start.

import LiveCapture
import LivecapFrames
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
    /// What makes their pictures upright; nil for what the session knows of its camera.
    package var mount: CameraMount?
    /// The part of the frames that they enlarge; nil for all of them.
    package var zoom: DigitalZoom?
    /// The date that is drawn into them; nil for none.
    package var date: DateFormat?
    /// Makes the frames of movies; nil if those are the session's own.
    package var stage: StageHost?

    /// Movies in the folder of `names`; the rest has its default.
    package init(_ names: MovieNames) { self.names = names }
}

/// Where the sound comes from of movies that pages start, and of what they hear.
package enum PageSound: Sendable {
    /// There is none.
    case none
    /// From a microphone that is opened when it is needed: a movie's sound begins when the movie is asked for.
    case microphone(PageMicrophone)
    /// From a microphone that is open for others.
    case shared(SoundCapture)

    /// Opens the microphone for a movie of a session; nil for a silent one.
    /// - Throws: why the microphone cannot be used.
    func open(_ session: CaptureSession) async throws(SoundError) -> SoundCapture? {
        try await onThread(named: "microphone") { () throws(SoundError) in try openNow(session) }
    }

    /// The same for callers that may block.
    func openNow(_ session: CaptureSession) throws(SoundError) -> SoundCapture? {
        switch self {
        case .none: nil
        case .shared(let capture): capture
        case .microphone(let microphone): try microphone.open(session)
        }
    }

    /// Closes what `open` has opened. Returns once the device is free.
    func close(_ capture: SoundCapture?) async { await onThread(named: "microphone") { closeNow(capture) } }

    /// The same for callers that may block.
    func closeNow(_ capture: SoundCapture?) {
        if case .microphone(let microphone) = self, capture != nil { microphone.close() }
    }
}
