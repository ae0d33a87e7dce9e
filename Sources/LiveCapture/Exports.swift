// SPDX-License-Identifier: MIT
// What `import LiveCapture` brings along: everything that its own declarations mention.

@_exported import Camera
@_exported import Developing
@_exported import Files
@_exported import FrameFiles
@_exported import FrameRing
@_exported import Frames
@_exported import Fusion
@_exported import PhotoStorage
@_exported import Stills
@_exported import Threads
