// SPDX-License-Identifier: MIT
// What captures sound, whatever it is.

import LivecapFrames

/// What a source delivers.
package struct SoundFormat: Hashable, Sendable {
    /// Samples per second, as the device claims. Only reports use it: what counts is measured.
    package var rate: Int
    /// Interleaved channels.
    package var channels: Int

    package init(rate: Int, channels: Int) { (self.rate, self.channels) = (rate, channels) }
}

/// What a source reports.
package enum SoundEvent: Hashable, Sendable {
    /// So many frames lie in the buffer. What the device said of its count includes those that were not read yet.
    case frames(Int, SoundStamp?)
    /// None came in time.
    case timedOut
    /// Samples were lost, and the source goes on with a count that begins anew.
    case interrupted(SoundInterruption)
    /// The device has gone.
    case gone(SoundError)
}

/// Why samples were lost.
package enum SoundInterruption: Hashable, Sendable {
    /// They were not read in time (EPIPE).
    case overrun
    /// The system was suspended (ESTRPIPE).
    case suspended
}

/// A source of sound. Used by one thread.
package protocol SoundSource: AnyObject {
    var format: SoundFormat { get }
    /// Starts, or starts anew after a stall.
    func start() throws(SoundError)
    /// Waits for frames and reads what there is into the buffer of interleaved samples.
    func read(into samples: UnsafeMutableBufferPointer<Float>, until deadline: Timestamp) -> SoundEvent
}

/// Where sources come from.
package protocol SoundDirectory: Sendable {
    /// The microphones that are connected now, in any order.
    func microphones() -> [Microphone]
    /// The microphone that a name means, which need not be among those.
    func microphone(named name: String) throws(SoundError) -> Microphone
    func open(_ microphone: Microphone) throws(SoundError) -> any SoundSource
}

extension SoundDirectory {
    /// Only those that are listed have names.
    package func microphone(named name: String) throws(SoundError) -> Microphone {
        let all = microphones()
        guard let found = try all.microphone(named: name) else {
            throw .noSuchMicrophone(name, available: all.map(\.description))
        }
        return found
    }
}
