// SPDX-License-Identifier: MIT
// What `import LiveCapture` brings along: everything that its own declarations mention.

@_exported import Camera
@_exported import FrameRing
@_exported import Fusion
@_exported import LivecapDeveloping
@_exported import LivecapEffects
@_exported import LivecapFiles
@_exported import LivecapFrameFiles
@_exported import LivecapFrames
@_exported import LivecapPhotoStorage
@_exported import LivecapPictures
@_exported import LivecapStabilization
@_exported import LivecapStills
@_exported import LivecapStreams
@_exported import LivecapThreads
