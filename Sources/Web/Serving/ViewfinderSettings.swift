// SPDX-License-Identifier: MIT
// How a viewfinder is served.

import Camera
import LiveCapture
import LivecapFrames
import LivecapHTTP
import LivecapStreams

/// How a viewfinder is served, and what its photos are like unless a page asks for something else.
package struct ViewfinderSettings: Sendable {
    /// What those who view must know; nil if everybody who reaches the socket may view.
    package var token: String?
    /// Whether all connections are encrypted.
    package var isEncrypted = false
    /// Names by which browsers may call this machine, besides its addresses, `localhost` and its own name.
    package var names: [String] = []
    /// The settings of photos.
    package var photos: PhotoSettings
    /// Gives the settings of a photo that is asked for the effects that it gets now.
    package var photoEffects: @Sendable (PhotoSettings) -> PhotoSettings = { $0 }
    /// Makes the frames that pages show; nil if those are the session's own.
    package var stage: StageHost?
    /// What viewers can hear: by default nothing.
    package var sound = PageSound.none
    /// Called when the first one begins to hear it, and when the last one has left. Must not wait.
    package var soundChanged: @Sendable (_ isHeard: Bool) -> Void = { _ in }
    /// What movies pages can start; nil if none are made.
    package var movies: PageMovies?
    /// Who draws effects into the frames that pages show; nil if nobody does.
    package var effects: EffectSwitchboard?
    /// Whether those frames hide what is behind people now.
    var hidesRoom: @Sendable () -> Bool {
        guard let effects else { return { false } }
        return effects.hidesRoom
    }
    /// What is said where nobody does.
    package var noEffects = EffectRefusal.noStage()
    /// Where facts about the people in frames come from; nil if nobody looks for them.
    package var facts: FactSource?
    /// How long the frames of a moment that a page has slid back to are held.
    package var momentLimit = HeldMoments.usualLimit
    /// Where a camera that is chosen in a page is kept as the user's choice; nil if it is not.
    package var cameraHistory: CameraHistory?
    /// The program and its version, for files and pages.
    package var software: String
    /// The version alone.
    package var version: String

    /// Creates settings; what is left out has its default.
    package init(photos: PhotoSettings, software: String, version: String) {
        self.photos = photos
        self.software = software
        self.version = version
    }
}
