// SPDX-License-Identifier: MIT
// Why there is no server.

import Glibc
import LivecapThreads

/// Why there is no server.
package enum HTTPError: ExplainedError, Hashable, Sendable {
    /// The library that serves is missing.
    case noLibrary(String)
    /// It was built without TLS.
    case noEncryption
    /// The key and the certificate cannot be used.
    case badIdentity
    /// It cannot start.
    case cannotServe
    /// The text is no address.
    case badAddress(String)
    /// The address cannot be listened at.
    case cannotListen(String, errno: Int32)
    /// The socket that was handed over cannot be used, for this reason.
    case badSocket(String)
    /// The system lacks something.
    case shortage(SystemShortage)

    package var message: String {
        switch self {
        case .noLibrary(let reason): "the web server is not installed: \(reason)"
        case .noEncryption: "the installed web server cannot encrypt"
        case .badIdentity: "the certificate and its key cannot be used"
        case .cannotServe: "the web server cannot start"
        case .badAddress(let text): "'\(text)' is not an address to listen at"
        case .cannotListen(let address, let errno): "cannot listen at \(address): \(String(cString: strerror(errno)))"
        case .badSocket(let reason): "the socket that was handed over (LISTEN_FDS) cannot be used: \(reason)"
        case .shortage(let shortage): shortage.message
        }
    }

    package var hint: String {
        switch self {
        case .noLibrary: "install libmicrohttpd12"
        case .noEncryption: "leave out the certificate, and serve behind a program that encrypts"
        case .badIdentity:
            "name a PEM file each: the certificate with its chain, and the private key that belongs to it"
        case .cannotServe: "close other programs, or raise the limit of open files with 'ulimit -n'"
        case .badAddress: "write ADDRESS:PORT, such as 127.0.0.1:8080, [::1]:8080 or 0.0.0.0:8080"
        case .cannotListen(_, EADDRNOTAVAIL):
            "this machine has no such address: 'ip address' lists those it has, and 0.0.0.0 or [::] stands for all of them"
        case .cannotListen(_, EACCES): "ports below 1024 need permission: choose one from 1024 on"
        case .cannotListen: "choose another port, or end the program that uses this one"
        case .badSocket: "hand over one: 'ListenStream=127.0.0.1:8080' in the unit of the socket, and no other"
        case .shortage(let shortage): shortage.hint
        }
    }
}

extension HTTPError {
    /// A name for programs.
    package var code: String {
        switch self {
        case .noLibrary: "no-web-server"
        case .noEncryption: "no-encryption"
        case .badIdentity: "bad-certificate"
        case .cannotServe: "cannot-serve"
        case .badAddress: "bad-address"
        case .cannotListen: "cannot-listen"
        case .badSocket: "bad-socket"
        case .shortage: "system-shortage"
        }
    }
}

extension HTTPError {
    /// The exit status of a program that ends with it, as in sysexits.h.
    package var exitStatus: Int32 {
        switch self {
        case .noLibrary, .noEncryption, .cannotServe: 69
        case .badIdentity: 65
        case .badAddress, .badSocket: 64
        case .cannotListen(_, let errno): errno == EACCES || errno == EPERM ? 77 : 69
        case .shortage: 71
        }
    }
}
