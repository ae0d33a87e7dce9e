// SPDX-License-Identifier: MIT
// The option of every command that prints notes while it works.

import LivecapCommandTable

enum ConsoleOptions {
    static let quietWord = "--quiet"
    static let quiet = Flag("quiet", help: "Print only errors to standard error, no notes and no progress")
}
