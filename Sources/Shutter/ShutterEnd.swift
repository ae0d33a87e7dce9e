// SPDX-License-Identifier: MIT
// Why a shutter stopped delivering events.

/// Why a shutter stopped delivering events. Reported once, on the shutter's thread, and never because of `close`.
public enum ShutterEnd: Hashable, Sendable {
    /// The terminal was hung up or its user typed Ctrl-D, or the pipe or file used in its place ended.
    case endOfInput
    /// The input device was unplugged.
    case unplugged(path: String)
    /// The shutter failed.
    case failed(ShutterError)
}
