// SPDX-License-Identifier: MIT
// Shared by the tests: logs filled by other threads, pipes, terminals, folders.

import Glibc
import LivecapFiles
import LivecapFrames
import LivecapPatience
import LivecapThreads
import Testing

@testable import Shutter

/// The parent of all tests of sources. They run one at a time, because they count the threads and
/// descriptors of this process.
@Suite(.serialized) enum Sources {}

/// Collects entries reported by other threads.
final class Log<Entry: Sendable>: Sendable {
    private let reported = Guarded<[Entry]>([])

    func add(_ entry: Entry) { reported.withLock { $0.append(entry) } }
    var entries: [Entry] { reported.withLock { $0 } }

    /// All entries as soon as there are `count` of them. Fails the test if they do not arrive in time.
    func first(_ count: Int) throws -> [Entry] {
        try eventually("\(count) entries") { entries.count >= count }
        return entries
    }
}

/// The two ends of a pipe or a terminal.
final class Ends {
    /// The end the shutter reads.
    let inner: Int32
    /// The end the test writes.
    private(set) var outer: Int32

    private init(inner: Int32, outer: Int32) { (self.inner, self.outer) = (inner, outer) }

    static func pipe(nonBlocking: Bool = false) throws -> Ends {
        var ends: [Int32] = [0, 0]
        try #require(Glibc.pipe(&ends) == 0)
        if nonBlocking { _ = fcntl(ends[0], F_SETFL, O_NONBLOCK) }
        return Ends(inner: ends[0], outer: ends[1])
    }

    static func terminal() throws -> Ends {
        // openpty(3) by hand, which Swift's Glibc lacks: TIOCSPTLCK unlocks the terminal, TIOCGPTN returns
        // its number.
        let outer = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var (unlocked, number): (Int32, UInt32) = (0, 0)
        try #require(ioctl(outer, 0x4004_5431, &unlocked) == 0 && ioctl(outer, 0x8004_5430, &number) == 0)
        let inner = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        try #require(inner >= 0)
        return Ends(inner: inner, outer: outer)
    }

    func type(_ bytes: [UInt8]) { _ = write(outer, bytes, bytes.count) }
    func type(_ text: String) { type(Array(text.utf8)) }

    /// Closes the outer end: no more input follows.
    func hangUp() {
        close(outer)
        outer = -1
    }

    /// Whether the terminal echoes and reads line by line, as for most programs.
    var isLineByLine: Bool {
        var mode = termios()
        tcgetattr(inner, &mode)
        return mode.c_lflag & tcflag_t(ICANON) != 0 && mode.c_lflag & tcflag_t(ECHO) != 0
    }

    deinit {
        if outer >= 0 { close(outer) }
        close(inner)
    }
}

/// A temporary folder, removed with this object.
final class Folder {
    let path: String

    init() throws {
        path = try #require(makeTemporaryFolder("/tmp/livecap-shutter-"))
    }

    deinit {
        // Deepest first.
        for name in ["livecap/shutter.sock", "livecap", "link", "elsewhere", "s", "other"] {
            if unlink("\(path)/\(name)") < 0 { rmdir("\(path)/\(name)") }
        }
        rmdir(path)
    }
}

/// Whether the events are a press and a release at the same time, as reported for buttons without a
/// release.
func isClick(_ events: [ShutterEvent], from index: Int = 0) -> Bool {
    guard events.count >= index + 2, case .pressed(let down) = events[index], case .released(let up) = events[index + 1]
    else { return false }
    return down == up
}
