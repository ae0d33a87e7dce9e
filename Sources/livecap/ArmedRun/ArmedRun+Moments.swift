// SPDX-License-Identifier: MIT
// The moments of an armed run's taps, and the cameras that are asked for them.

import LiveCapture
import LivecapFrames
import LivecapIntents
import Shutter

extension ArmedRun {
    /// The tap for a press. Presses are timed by this machine's clock. On a source with a clock of its own, the tap is
    /// its newest frame at that time.
    func press(_ tap: HoldBurst.Tap) -> Tap { host.clock == .own ? .now : .at(tap.time) }

    /// The tap that a client asks for, on the source's clock.
    func tap(of intent: TapIntent, received: Timestamp) -> Tap {
        if let frame = intent.frame { return .frame(frame) }
        if let moment = intent.at { return .at(moment) }
        let ago = intent.ago ?? .zero
        guard host.clock == .own else { return .at(received - ago) }
        return host.session.ring.newestTime.map { .at($0 - ago) } ?? .now
    }

    /// Whether a tap's moment is in the future.
    func isToCome(_ tap: Tap) -> Bool {
        guard case .at(let moment) = tap else { return false }
        // Before the first frame, nobody knows.
        return host.clock == .own ? host.session.ring.newestTime.map { moment > $0 } ?? true : moment > .now
    }

    /// Whether a tap's moment is further ahead than a client may ask for.
    func isTooFarAhead(_ tap: Tap) -> Bool {
        guard case .at(let moment) = tap, let now = host.clock == .own ? host.session.ring.newestTime : .now
        else { return false }
        return moment > now + TapIntent.horizon
    }

    /// Has the camera take a picture, and with it all others that there are.
    func capture(_ settings: PhotoSettings, at tap: Tap, within error: Duration) -> PhotoCapture {
        let output = host.output
        guard let companions, let instant = try? companions.group.instant(of: tap) else {
            return output.capture(
                live?.own(settings) ?? settings, at: tap, tapUncertainty: error, into: files, number: asked)
        }
        let id = CaptureGroup.newID()
        let own = output.capture(
            companions.own(settings, in: id), at: .at(instant), tapUncertainty: error, into: files, number: asked)
        companions.take(with: own, settings, at: instant, within: error, id: id, number: asked) { [inbox] photo in
            inbox.put(.group(photo))
        }
        return own
    }
}
