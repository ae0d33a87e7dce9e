// SPDX-License-Identifier: MIT
// What `import Shutter` brings along: times, and what clients ask for.

@_exported import LivecapFrames
@_exported import LivecapIntents
