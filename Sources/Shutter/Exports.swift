// SPDX-License-Identifier: MIT
// What `import Shutter` brings along: times.

@_exported import LivecapFrames
