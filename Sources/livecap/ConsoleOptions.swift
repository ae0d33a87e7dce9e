// SPDX-License-Identifier: MIT
// What every command that takes its time says while it works.

import CommandTable

enum ConsoleOptions {
    static let quietWord = "--quiet"
    static let quiet = Flag("quiet", help: "Print no notes and no progress to standard error, only errors")
}
