// SPDX-License-Identifier: MIT
// Reads frames from a source of its own.

import Camera

let format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 64, height: 48))
