// SPDX-License-Identifier: MIT
// Why an MP4 file stays in fragments.

import LivecapFrameFiles

/// Why the index of a finished MP4 file was not put first. The file then stays as it was while it grew: in fragments,
/// which players play as well.
public enum MovieIndexGap: Error, Hashable, Sendable {
    /// It was not wanted any more, or not within the time that there was.
    case stopped
    /// The disk has no room for the copy, whose number of bytes this is.
    case noRoom(Int)
    /// Another program has locked the file: it is at work on it.
    case inUse
    /// The file, or its copy, cannot be read or written.
    case file(FrameFileError)
    /// The file is not made of the fragments that are expected.
    case unreadable(String)

    /// The reason in one line, without a full stop.
    public var message: String {
        switch self {
        case .stopped: "making a copy with the index first was given up"
        case .noRoom(let bytes): "the disk has no room for a copy of \((bytes + 999_999) / 1_000_000) MB"
        case .inUse: "another program is at work on the file"
        case .file(let error): error.message
        case .unreadable(let detail): "its fragments are not as expected: \(detail)"
        }
    }
}
