// SPDX-License-Identifier: MIT
// The program's beginning and end: words in, exit status out.

import Camera
import CommandTable
import Glibc
import Shutter

// First of all: a tap that comes too early is refused in words, and must not kill; SIGQUIT ends the program, not merely its
// runtime's crash report.
SignalShutter.block()
Interruption.restoreQuit()
// A reader that leaves and a file that may not grow are told by write(2), and answered in words.
signal(SIGPIPE, SIG_IGN)
signal(SIGXFSZ, SIG_IGN)
// `CommandLine.arguments` would mend names that are no UTF-8, and they would be other names then.
let words = (1..<max(1, Int(CommandLine.argc))).compactMap { index in
    CommandLine.unsafeArgv[index].map { FileName.text(cString: $0) }
}
exit(Livecap.run(words))
