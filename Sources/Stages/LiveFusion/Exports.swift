// SPDX-License-Identifier: MIT
// What `import LivecapLiveFusion` brings along: everything that its own declarations mention.

@_exported import Camera
@_exported import FrameRing
@_exported import Fusion
