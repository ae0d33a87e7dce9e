// SPDX-License-Identifier: MIT
// What `import Fusion` brings along: frames and times.

@_exported import LivecapFrames
