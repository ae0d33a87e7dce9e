// SPDX-License-Identifier: MIT
// What `import LiveCapture` brings along: photos, their settings and their errors.

@_exported import Developing
