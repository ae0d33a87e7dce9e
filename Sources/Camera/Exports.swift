// SPDX-License-Identifier: MIT
// What `import Camera` brings along: frames, the ring, and files of frames.

@_exported import FrameRing
@_exported import LivecapFrameFiles
@_exported import LivecapFrames
