// SPDX-License-Identifier: MIT
// Makes untrusted text safe to print on a terminal.

import LivecapFiles

extension String {
    /// The text with everything escaped that a terminal would obey instead of showing: control characters, line
    /// separators, and characters that change the direction of writing. Names and libraries may come from anywhere.
    var printable: String {
        guard unicodeScalars.contains(where: \.isObeyed) else { return self }
        var shown = ""
        for scalar in unicodeScalars {
            if FileName.escapes.contains(scalar.value) {
                // A byte of a name that is not UTF-8.
                shown += "\\x\(String(scalar.value & 0xFF, radix: 16))"
            } else if scalar.isObeyed {
                shown += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }
}

extension Unicode.Scalar {
    /// Whether a terminal would obey the character instead of showing it. A tab is harmless.
    fileprivate var isObeyed: Bool {
        switch properties.generalCategory {
        case .control: value != 9
        case .privateUse, .unassigned: FileName.escapes.contains(value)
        case .lineSeparator, .paragraphSeparator: true
        default: (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
        }
    }
}
