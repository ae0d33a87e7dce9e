// SPDX-License-Identifier: MIT
// The program's entry point: command line in, exit status out.

import Glibc
import LivecapCommandTable
import LivecapFiles
import Shutter

StandardDescriptors.fill()
let stackFailure = StackLimit.raise()
// Before anything else: a tap that comes too early is refused with a message and must not end the program, and SIGQUIT
// ends it instead of only printing the runtime's crash report.
SignalShutter.installHandlers()
Interruption.restoreQuit()
// A reader that leaves and a file that may not grow are reported by write(2), and handled with a message.
signal(SIGPIPE, SIG_IGN)
signal(SIGXFSZ, SIG_IGN)
// `CommandLine.arguments` would repair names that are not UTF-8, and they would then name other files.
let words = (1..<max(1, Int(CommandLine.argc))).compactMap { index in
    CommandLine.unsafeArgv[index].map { FileName.text(cString: $0) }
}
if let stackFailure {
    var console = Console(writesJSON: words.contains("--json"))
    console.report(stackFailure)
    exit(stackFailure.exitStatus)
}
exit(Livecap.run(words))
