// SPDX-License-Identifier: MIT
// Writes the kernel calls and their expected results to standard output, for scripts/test-arm64.

import Glibc
import LivecapKernelCases

var vectors = KernelVectors()
vectors.write { bytes in
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        guard count > 0 else {
            perror("kernel-vectors")
            exit(74)
        }
        rest.removeFirst(count)
    }
}
