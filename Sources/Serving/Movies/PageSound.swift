// SPDX-License-Identifier: MIT
// The sound of movies that pages start.

import LiveCapture
import LivecapMovies
import LivecapSound
import LivecapThreads

/// Where the sound of movies comes from that pages start.
package enum PageSound: Sendable {
    /// They are silent.
    case none
    /// From a microphone of `directory`, which is opened for each movie: its sound begins when it is asked for.
    case microphone(MicrophoneChoice, in: any SoundDirectory, gain: Double)
    /// From a microphone that is open for others.
    case shared(SoundCapture)

    /// Opens the microphone for a movie of a session; nil if there is none that can be used.
    func open(_ session: CaptureSession) async -> SoundCapture? {
        switch self {
        case .none: return nil
        case .shared(let capture): return capture
        case .microphone(let choice, let directory, let gain):
            guard session.source.clock == .monotonic else { return nil }
            let capture = await onThread(named: "microphone") { () -> SoundCapture? in
                try? session.openMicrophone(choice, in: directory, past: .zero)
            }
            capture?.gain = gain
            return capture
        }
    }

    /// Closes what `open` has opened.
    func close(_ capture: SoundCapture?) { if case .microphone = self { capture?.stop() } }
}
