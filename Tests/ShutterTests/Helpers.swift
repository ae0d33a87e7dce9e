// SPDX-License-Identifier: MIT
// What the tests share: things told on other threads, pipes, terminals, folders.

import Camera
import Frames
import Glibc
import Testing
import Threads

@testable import Shutter

/// All tests of sources: they count threads and descriptors of this process, one after the other.
@Suite(.serialized) enum Sources {}

/// Gathers what is told on another thread.
final class Log<Entry: Sendable>: Sendable {
    private let told = Guarded<[Entry]>([])

    func add(_ entry: Entry) { told.withLock { $0.append(entry) } }
    var entries: [Entry] { told.withLock { $0 } }

    /// What was told once there are `count` of it; the test fails when that does not come in good time.
    func first(_ count: Int) throws -> [Entry] {
        try eventually("\(count) entries") { entries.count >= count }
        return entries
    }
}

/// Waits until `condition` holds; the test fails when it does not in good time.
func eventually(_ what: String, _ condition: () -> Bool) throws {
    let deadline = ContinuousClock.now + .seconds(Patience.seconds)
    while !condition() {
        try #require(ContinuousClock.now < deadline, "\(what) did not come")
        usleep(2_000)
    }
}

/// Two ends of a pipe or of a terminal.
final class Ends {
    /// What the shutter reads.
    let inner: Int32
    /// What the test writes.
    private(set) var outer: Int32

    private init(inner: Int32, outer: Int32) { (self.inner, self.outer) = (inner, outer) }

    static func pipe(nonBlocking: Bool = false) throws -> Ends {
        var ends: [Int32] = [0, 0]
        try #require(Glibc.pipe(&ends) == 0)
        if nonBlocking { _ = fcntl(ends[0], F_SETFL, O_NONBLOCK) }
        return Ends(inner: ends[0], outer: ends[1])
    }

    static func terminal() throws -> Ends {
        // openpty(3) by hand, for Swift's Glibc has none: TIOCSPTLCK unlocks it, TIOCGPTN tells its number.
        let outer = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var (unlocked, number): (Int32, UInt32) = (0, 0)
        try #require(ioctl(outer, 0x4004_5431, &unlocked) == 0 && ioctl(outer, 0x8004_5430, &number) == 0)
        let inner = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        try #require(inner >= 0)
        return Ends(inner: inner, outer: outer)
    }

    func type(_ bytes: [UInt8]) { _ = write(outer, bytes, bytes.count) }
    func type(_ text: String) { type(Array(text.utf8)) }

    /// Nothing more comes.
    func hangUp() {
        close(outer)
        outer = -1
    }

    /// Whether the terminal echoes and gathers lines, as it does for most programs.
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

/// A folder for one test, gone with it.
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

/// A press and its release at once, as buttons without a release tell them.
func isClick(_ events: [ShutterEvent], from index: Int = 0) -> Bool {
    guard events.count >= index + 2, case .pressed(let down) = events[index], case .released(let up) = events[index + 1]
    else { return false }
    return down == up
}
