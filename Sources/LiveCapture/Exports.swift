// SPDX-License-Identifier: MIT
// What `import LiveCapture` brings along: everything that its own declarations mention.

@_exported import Camera
@_exported import Developing
@_exported import FrameFiles
@_exported import FrameRing
@_exported import Fusion
@_exported import LivecapFiles
@_exported import LivecapFrames
@_exported import LivecapStills
@_exported import LivecapThreads
@_exported import PhotoStorage
