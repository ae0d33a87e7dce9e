// SPDX-License-Identifier: MIT
// What `import LivecapMovies` brings along: everything that its own declarations mention.

@_exported import LiveCapture
@_exported import LivecapSound
