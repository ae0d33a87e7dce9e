// SPDX-License-Identifier: MIT
// What `import FrameRing` brings along: frames and times.

@_exported import LivecapFrames
