// SPDX-License-Identifier: MIT
// The errors of windows.

import LivecapThreads

/// Why there is no window.
package enum WindowError: ExplainedError, Hashable, Sendable {
    /// SDL 2 is not installed, or too old.
    case noLibrary(detail: String)
    /// There is no screen for this process, or none that can be used.
    case noScreen(detail: String)
    /// The system has no thread for it.
    case shortage(SystemShortage)

    package var message: String {
        switch self {
        case .noLibrary(let detail): "SDL 2, which shows windows, cannot be loaded: \(detail)"
        case .noScreen(let detail): "there is no screen to open a window on: \(detail)"
        case .shortage(let shortage): shortage.message
        }
    }

    package var hint: String {
        switch self {
        case .noLibrary: "install it: 'sudo apt install libsdl2-2.0-0'"
        case .noScreen: "start it in a desktop session, or say which with DISPLAY or WAYLAND_DISPLAY"
        case .shortage(let shortage): shortage.hint
        }
    }

    /// The error's name in JSON: words joined by hyphens. These names are stable.
    package var code: String {
        switch self {
        case .noLibrary: "no-sdl"
        case .noScreen: "no-screen"
        case .shortage: "system-shortage"
        }
    }

    /// The program's exit status, from `sysexits.h`.
    package var exitStatus: Int32 {
        switch self {
        case .noLibrary, .noScreen: 69  // EX_UNAVAILABLE
        case .shortage: 71  // EX_OSERR
        }
    }
}
