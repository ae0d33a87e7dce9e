// SPDX-License-Identifier: MIT
// The program's beginning and end: words in, exit status out.

import CommandTable
import Glibc

// A reader that leaves and a file that may not grow are told by write(2), and answered in words.
signal(SIGPIPE, SIG_IGN)
signal(SIGXFSZ, SIG_IGN)
exit(Livecap.run(Array(CommandLine.arguments.dropFirst())))
