// SPDX-License-Identifier: MIT
// Why an exchange with a server, a proxy or a browser did not take place.

import Glibc

/// A failure of the gear or of what it talks to. The words are for the person who reads a failed test.
package enum WireError: Error, Hashable, CustomStringConvertible {
    /// A system call failed.
    case call(String, errno: Int32)
    /// Something did not come in good time.
    case timedOut(String)
    /// The connection ended before something had come.
    case ended(String)
    /// What came is not what the protocol demands.
    case malformed(String)
    /// The browser refused a command, with WebDriver's code for it.
    case refused(command: String, code: String, message: String)
    /// A program that the gear needs could not be used.
    case program(String)

    /// What happened, in one line.
    package var description: String {
        switch self {
        case .call(let call, let errno): "\(call) failed: \(String(cString: strerror(errno)))"
        case .timedOut(let what): "\(what) did not come in good time"
        case .ended(let what): "the connection ended before \(what)"
        case .malformed(let what): what
        case .refused(let command, let code, let message): "\(command): \(code): \(message)"
        case .program(let what): what
        }
    }
}
