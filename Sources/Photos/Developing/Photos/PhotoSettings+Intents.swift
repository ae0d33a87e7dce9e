// SPDX-License-Identifier: MIT
// Settings with what intents ask for instead.

import LivecapFrames
import LivecapIntents

extension PhotoSettings {
    /// These settings with what an intent names.
    package func changed(by intent: TapIntent) -> PhotoSettings {
        var settings = self
        settings.ask(for: intent.quality)
        if let format = intent.format { settings.format = format }
        if let frames = intent.frames { settings.frames = frames }
        if let laterFrames = intent.laterFrames { settings.laterFrames = laterFrames }
        if let reference = intent.reference { settings.reference = reference }
        if let zoom = intent.zoom { settings.zoom = zoom.factor == 1 ? nil : zoom }
        return settings
    }

    /// These settings with what an intent names.
    package func changed(by intent: DevelopIntent) -> PhotoSettings {
        var settings = self
        settings.ask(for: intent.quality)
        if let format = intent.format { settings.format = format }
        if let frames = intent.frames { settings.frames = frames }
        return settings
    }

    private mutating func ask(for quality: PhotoQuality?) {
        guard var quality else { return }
        // A frame as it came has no date.
        if date != nil, quality == .single { quality = .speed }
        guard quality != self.quality else { return }
        self.quality = quality
        // The numbers were meant for another quality.
        frames = nil
        laterFrames = 0
    }
}
