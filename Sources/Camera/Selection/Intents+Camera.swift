// SPDX-License-Identifier: MIT
// Formats and controls that are asked for by intents.

import LivecapFrames
import LivecapIntents

extension FormatRequest {
    /// The format that an intent names.
    package init(_ intent: CameraIntent) throws(IntentFault) {
        self.init()
        if let text = intent.format {
            guard let format = PixelFormat(named: text) else {
                throw IntentFault("'\(text)' is not a pixel format", hint: "the list of cameras says which they have")
            }
            pixelFormat = format
        }
        if let width = intent.width, let height = intent.height { size = FrameSize(width: width, height: height) }
        if let rate = intent.rate { self.rate = FrameRate("\(rate)") }
    }
}

extension ControlSetting {
    /// The setting that an intent names.
    package init(_ intent: ControlIntent) throws(IntentFault) {
        guard let value = ControlValue(intent.value) else {
            throw IntentFault("\"value\" is empty", hint: "give a number, a string, true or false")
        }
        self.init(ControlName(intent.key), value)
    }
}
