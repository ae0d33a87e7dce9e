// SPDX-License-Identifier: MIT
// Shares a scene's frames with other programs for a minute.

import LiveCapture
import LivecapSharing

var options = SessionOptions()
options.isShared = true
let scene = try SyntheticSettings("handheld:prerender=8")
let session = try await CaptureSession(source: .synthetic(scene), options: options)
try await session.start()
