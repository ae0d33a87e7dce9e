// SPDX-License-Identifier: MIT
// A terminal as a shutter: its keys, its mode, its end.

import Glibc
import LivecapFrames
import LivecapThreads
import Testing

@testable import Shutter

extension Sources {
    @Suite struct TerminalShutterTests {
        private let events = Log<ShutterEvent>()
        private let keys = Log<Character>()
        private let ends = Log<ShutterEnd>()

        private func shutter(_ terminal: Ends) throws -> TerminalShutter {
            try TerminalShutter(
                descriptor: terminal.inner, onEvent: events.add, onKey: keys.add, onEnd: ends.add)
        }

        @Test func everyKeyComesAtOnce() throws {
            let terminal = try Ends.terminal()
            let shutter = try shutter(terminal)
            let before = Timestamp.now
            terminal.type(" ")
            let reported = try events.first(2)
            #expect(isClick(reported))
            guard case .pressed(let time) = reported[0] else { return }
            #expect(time >= before && time <= .now)
            terminal.type("q")
            #expect(try keys.first(1) == ["q"])
            shutter.close()
        }

        @Test func isPutBackByClose() throws {
            let terminal = try Ends.terminal()
            let shutter = try shutter(terminal)
            #expect(shutter.isTerminal && !terminal.isLineByLine)
            shutter.close()
            #expect(terminal.isLineByLine)
            shutter.close()
        }

        @Test func isPutBackWhenTheShutterGoesAway() throws {
            let terminal = try Ends.terminal()
            do { _ = try shutter(terminal) }
            #expect(terminal.isLineByLine)
        }

        @Test func isPutBackAtOnceForGood() throws {
            let terminal = try Ends.terminal()
            let shutter = try shutter(terminal)
            shutter.restoreTerminal()
            #expect(terminal.isLineByLine)
            // The next key is read as part of a line, and the terminal stays in line mode.
            terminal.type("\n")
            _ = try events.first(2)
            #expect(terminal.isLineByLine)
            shutter.close()
        }

        /// Keys typed before have no time; other keys still count.
        @Test func pressesTypedAheadAreCountedAndNotTaken() throws {
            let terminal = try Ends.terminal()
            terminal.type("\n q\n")
            let shutter = try shutter(terminal)
            #expect(try keys.first(1) == ["q"])
            #expect(shutter.earlyPresses == 3)
            terminal.type(" ")
            #expect(isClick(try events.first(2)))
            shutter.close()
            #expect(events.entries.count == 2)
        }

        @Test func controlDIsTheEnd() throws {
            let terminal = try Ends.terminal()
            let shutter = try shutter(terminal)
            terminal.type([0x04])
            #expect(try ends.first(1) == [.endOfInput])
            #expect(terminal.isLineByLine)
            shutter.close()
        }

        @Test func aClosedTerminalIsTheEnd() throws {
            let terminal = try Ends.terminal()
            let shutter = try shutter(terminal)
            terminal.hangUp()
            #expect(try ends.first(1) == [.endOfInput])
            shutter.close()
        }

        @Test func aPipeIsReadToItsEnd() throws {
            let pipe = try Ends.pipe()
            let shutter = try shutter(pipe)
            #expect(!shutter.isTerminal)
            pipe.type("\nb\n")
            pipe.hangUp()
            #expect(try ends.first(1) == [.endOfInput])
            #expect(keys.entries == ["b"] && events.entries.count == 2)
            shutter.close()
        }

        @Test(arguments: [
            ("\n", "", 1), ("quick\nmm\n", "", 2), ("m\r\n", "m", 0), (" \n", "", 1), (" p \n", "p", 0),
            ("é\n", "é", 0),
            ("m", "m", 0), ("last", "", 1), ("\u{4}\n", "\u{4}", 0),
            (String(repeating: "a", count: 5000) + "\n", "", 1),
            ("{\"tap\":\"now\"}\n?\n", "?", 1),
        ]) func aLineOfAPipeIsOnePressOrOneKey(text: String, typed: String, presses: Int) throws {
            let pipe = try Ends.pipe()
            let shutter = try shutter(pipe)
            pipe.type(text)
            pipe.hangUp()
            #expect(try ends.first(1) == [.endOfInput])
            #expect(keys.entries == typed.map { $0 } && events.entries.count == 2 * presses)
            shutter.close()
        }

        @Test func aHandlerMayCloseIt() throws {
            let pipe = try Ends.pipe()
            let made = Guarded<TerminalShutter?>(nil)
            let closed = Log<Bool>()
            let shutter = try TerminalShutter(
                descriptor: pipe.inner, onEvent: events.add,
                onKey: { _ in
                    made.withLock { $0 }?.close()
                    closed.add(true)
                }, onEnd: ends.add)
            made.withLock { $0 = shutter }
            pipe.type("q\n")
            _ = try closed.first(1)
            made.withLock { $0 = nil }
            shutter.close()
            #expect(events.entries.isEmpty && ends.entries.isEmpty)
        }

        @Test func aHandlerMayLetGoOfTheLastReference() throws {
            let pipe = try Ends.pipe()
            let made = Guarded<TerminalShutter?>(nil)
            let gone = Log<Bool>()
            let shutter = try TerminalShutter(
                descriptor: pipe.inner, onEvent: events.add,
                onKey: { _ in
                    made.withLock { $0 = nil }
                    gone.add(true)
                })
            made.withLock { $0 = shutter }
            weak let watched = shutter
            _ = consume shutter
            pipe.type("q\n")
            _ = try gone.first(1)
            #expect(watched == nil)
        }

        @Test func aClosedDescriptorIsAnError() {
            #expect(throws: ShutterError.failed("standard input", call: "fcntl", errno: EBADF)) {
                _ = try TerminalShutter(descriptor: 9999, onEvent: { _ in })
            }
        }
    }
}
