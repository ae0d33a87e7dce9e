// SPDX-License-Identifier: MIT
// Why a shutter tells no more.

/// Why a shutter tells no more. It is told once, on the shutter's thread, and never because of `close`.
public enum ShutterEnd: Hashable, Sendable {
    /// The terminal was hung up or its user typed Ctrl-D, or the pipe or file at its place has been read to its end.
    case endOfInput
    /// The input device is no longer there.
    case unplugged(path: String)
    /// It broke.
    case failed(ShutterError)
}
