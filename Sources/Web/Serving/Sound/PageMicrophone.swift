// SPDX-License-Identifier: MIT
// One microphone for the movies of pages and for those who listen: most can be opened only once.

import LiveCapture
import LivecapSound
import LivecapThreads

/// A microphone that is open while somebody uses it.
package final class PageMicrophone: Sendable {
    private let choice: MicrophoneChoice
    private let directory: any SoundDirectory
    private let gain: Double
    /// Held while the device is opened and closed, so that nobody finds it in use by this program.
    private let state = Guarded(State())

    private struct State: Sendable {
        var capture: SoundCapture?
        var users = 0
    }

    /// The microphone of a choice among those of `directory`, louder by `gain` decibels.
    package init(_ choice: MicrophoneChoice, in directory: any SoundDirectory, gain: Double = 0) {
        self.choice = choice
        self.directory = directory
        self.gain = gain
    }

    /// Opens it, or joins those who use it. Each caller closes it once. Blocks.
    /// - Throws: why it cannot be used.
    func open(_ session: CaptureSession) throws(SoundError) -> SoundCapture {
        guard session.source.clock == .monotonic else { throw .otherClock }
        return try state.withLock { state throws(SoundError) in
            if let capture = state.capture {
                state.users += 1
                return capture
            }
            let capture = try session.openMicrophone(choice, in: directory, past: .zero)
            capture.gain = gain
            state.capture = capture
            state.users = 1
            return capture
        }
    }

    /// Leaves it. The last one to do so closes it, and returns once the device is free. Blocks.
    func close() {
        state.withLock { state in
            guard state.users > 0 else { return }
            state.users -= 1
            guard state.users == 0 else { return }
            state.capture.take()?.stop()
        }
    }
}
