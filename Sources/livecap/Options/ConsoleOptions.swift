// SPDX-License-Identifier: MIT
// The option of every command that prints notes while it works.

import CommandTable

enum ConsoleOptions {
    static let quietWord = "--quiet"
    static let quiet = Flag("quiet", help: "Print no notes and no progress to standard error, only errors")
}
