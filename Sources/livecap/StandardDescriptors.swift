// SPDX-License-Identifier: MIT
// Standard input, output and error that were closed before the program began.

import Glibc

enum StandardDescriptors {
    /// Gives a closed one to /dev/null, for reading: standard input has ended then, and nothing can be written to the
    /// others. Otherwise the next file that is opened would get its number, and with it the program's messages.
    static func fill() {
        while true {
            let opened = open("/dev/null", O_RDONLY)
            guard opened >= 0, opened <= STDERR_FILENO else {
                if opened >= 0 { close(opened) }
                return
            }
        }
    }
}
