// SPDX-License-Identifier: MIT
// Text of anybody's, as a terminal may have it.

import Camera

extension String {
    /// The text with everything that a terminal would obey instead of showing it written out: control characters, ends of
    /// lines, and what turns the direction of writing. Names and libraries may come from anywhere.
    var printable: String {
        guard unicodeScalars.contains(where: \.isObeyed) else { return self }
        var shown = ""
        for scalar in unicodeScalars {
            if FileName.escapes.contains(scalar.value) {
                // A byte of a name that is no UTF-8.
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
    /// Whether it is no character to be seen, but something to be done. A tab does no harm.
    fileprivate var isObeyed: Bool {
        switch properties.generalCategory {
        case .control: value != 9
        case .privateUse, .unassigned: FileName.escapes.contains(value)
        case .lineSeparator, .paragraphSeparator: true
        default: (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
        }
    }
}
