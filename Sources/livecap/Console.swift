// SPDX-License-Identifier: MIT
// Output: results go to standard output, everything else to standard error.

import Glibc
import LivecapFiles
import LivecapIntents
import LivecapPhotoStorage
import Synchronization

/// The two standard outputs. Results are gathered and written in large pieces; `flush` writes what has been gathered.
struct Console: ~Copyable {
    /// Whether results are JSON objects instead of text for people.
    var writesJSON: Bool
    private var pending = ""
    private var descriptor = STDOUT_FILENO

    init(writesJSON: Bool) { self.writesJSON = writesJSON }

    /// Sends results to standard error from now on, because standard output carries a picture or frames.
    mutating func leaveStandardOutput() throws(Failure) {
        guard !writesJSON else {
            throw .pictures(
                "--json and -o - both use standard output",
                hint: "leave one of them out, or write to another descriptor: -o /dev/fd/3 3>FILE")
        }
        descriptor = STDERR_FILENO
    }

    /// Adds a line of text to the results. Text from elsewhere, such as names or a library's content, is made
    /// printable, so that it cannot control a terminal.
    mutating func print(_ line: String) throws(Failure) { try add(line.printable) }

    /// Adds a trusted text to the results unchanged. A newline at its end is not doubled.
    mutating func print(trimmed text: String) throws(Failure) {
        try add(text.last == "\n" ? String(text.dropLast()) : text)
    }

    /// Adds a JSON object to the results.
    mutating func print(_ json: JSON) throws(Failure) { try add(json.text) }

    private mutating func add(_ text: String) throws(Failure) {
        pending += text
        pending += "\n"
        if pending.utf8.count >= 1 << 15 { try flush() }
    }

    /// Writes the results gathered so far.
    mutating func flush() throws(Failure) {
        let text = pending
        pending = ""
        let error = writeFully(text, to: descriptor)
        if error == EPIPE { throw .readerLeft }
        if error != 0 { throw .output(errno: error) }
    }

    /// Prints a note to standard error. Failures to write it are ignored.
    static func note(_ line: String) {
        if !isQuiet.load(ordering: .relaxed) { say(line.printable) }
    }

    /// Notes what a file has, although writing it failed. A stream has no file to look at.
    static func noteKept(_ frames: Int, in path: String) {
        guard frames > 0, OutputTarget(path) != .stream else { return }
        note("note: \(counted(frames, "frame")) recorded until then \(frames == 1 ? "is" : "are") kept in \(path)")
    }

    /// Whether only errors are printed. It applies to the whole process, like standard error; it is set once, before
    /// anything is printed.
    static let isQuiet = Atomic<Bool>(false)

    /// Prints a trusted question to standard error, without a newline.
    static func ask(_ question: String) { _ = writeFully(question, to: STDERR_FILENO) }

    /// Shows a code on a terminal that is wide enough for it.
    static func show(_ code: LinkCode?) {
        let terminal = Terminal.standardError
        guard let code, terminal.isInteractive, terminal.columns >= code.columns,
            !isQuiet.load(ordering: .relaxed)
        else { return }
        for line in code.lines(hasColour: terminal.hasColour) { say(line) }
    }

    private static func say(_ line: String) {
        _ = writeFully(whole(line, isInteractive: Terminal.standardError.isInteractive), to: STDERR_FILENO)
    }

    /// The bytes of a line. On a terminal it takes the place of a progress line, which may be longer.
    static func whole(_ line: String, isInteractive: Bool) -> String {
        (isInteractive ? Progress.clearing : "") + line + "\n"
    }

    /// Reports why the program ends: as an object for programs, and as text for people. With several shots, each is
    /// named, and a hint is only printed if `isHinting` is set.
    mutating func report(_ failure: Failure, shot: UInt64? = nil, photo: PhotoID? = nil, isHinting: Bool = true) {
        if case .readerLeft = failure { return }
        if writesJSON {
            let object = JSON.object(
                [("error", .string(failure.message)), ("code", .string(failure.code)), ("hint", .string(failure.hint))]
                    + (shot.map { [("shot", JSON($0))] } ?? [])
                    + (photo.map { [("id", .integer($0.number))] } ?? []))
            do throws(Failure) {
                try print(object)
                try flush()
            } catch {
                // Standard error is written below.
            }
        }
        let style = Terminal.standardError
        var which = shot.map { "shot \($0): " } ?? ""
        // Most of a library's errors name the photo themselves.
        if let photo, !failure.message.contains("photo \(photo)") { which = "photo \(photo): " }
        Console.say("\(style.red("livecap:")) \(which)\(failure.message.printable)")
        if isHinting { Console.say("  \(style.dim("hint:")) \(failure.hint.printable)") }
    }
}

/// Writes all of `text`. Returns 0, or the errno that prevented it. `write(2)`.
private func writeFully(_ text: String, to descriptor: Int32) -> Int32 {
    var text = text
    return text.withUTF8 { bytes in
        var rest = UnsafeRawBufferPointer(bytes)
        while !rest.isEmpty {
            let count = write(descriptor, rest.baseAddress, rest.count)
            if count < 0 && errno != EINTR && errno != EAGAIN { return errno }
            if count < 0 && errno == EAGAIN {
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&ready, 1, -1)
            }
            if count > 0 { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
        }
        return 0
    }
}

/// The capabilities of the terminal at standard error.
struct Terminal {
    /// Whether it is a terminal on which lines can be rewritten.
    let isInteractive: Bool
    let hasColour: Bool

    /// The capabilities now. NO_COLOR and TERM=dumb are respected.
    static var standardError: Terminal {
        let kind = getenv("TERM").map { String(cString: $0) } ?? "dumb"
        let isInteractive = isatty(STDERR_FILENO) == 1 && kind != "dumb" && !kind.isEmpty
        let wantsNoColour = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
        return Terminal(isInteractive: isInteractive, hasColour: isInteractive && !wantsNoColour)
    }

    func red(_ text: String) -> String { hasColour ? "\u{1B}[1;31m\(text)\u{1B}[0m" : text }
    func dim(_ text: String) -> String { hasColour ? "\u{1B}[2m\(text)\u{1B}[0m" : text }

    /// The number of columns; 80 if unknown.
    var columns: Int {
        var size = winsize()
        return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }
}
