// SPDX-License-Identifier: MIT
// File names are bytes, not text: any name can be kept as a String and passed back to the system unchanged.

import Glibc
import LivecapCSystem

/// Converts between file names and text. Each byte that is not UTF-8, as in Latin-1 names, becomes one private-use
/// character, U+10FF80 to U+10FFFF. The bytes of those characters themselves are escaped too, so that no two names have
/// the same text.
package enum FileName {
    /// The characters that stand for one byte each, held in their low eight bits.
    package static let escapes: ClosedRange<UInt32> = 0x10FF80...0x10FFFF

    /// The text of a name.
    package static func text(_ bytes: some Collection<UInt8>) -> String {
        var (text, position) = ("", bytes.startIndex)
        var (parser, iterator) = (Unicode.UTF8.ForwardParser(), bytes.makeIterator())
        func escape(_ count: Int) {
            for _ in 0..<count {
                text.unicodeScalars.append(Unicode.Scalar(0x10FF00 + UInt32(bytes[position]))!)
                position = bytes.index(after: position)
            }
        }
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .emptyInput: return text
            case .error(let length): escape(length)
            case .valid(let encoded):
                let scalar = Unicode.UTF8.decode(encoded)
                if escapes.contains(scalar.value) {
                    escape(encoded.count)
                } else {
                    text.unicodeScalars.append(scalar)
                    position = bytes.index(position, offsetBy: encoded.count)
                }
            }
        }
    }

    /// The text of a name given as a C string.
    package static func text(cString: UnsafePointer<CChar>) -> String {
        text(UnsafeRawBufferPointer(start: cString, count: strlen(cString)))
    }
}

extension String {
    /// Calls `body` with the bytes of the file name that this text represents, zero-terminated.
    package func withFileName<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        // The UTF-8 of every escape begins with this byte; hardly any name contains it.
        guard utf8.contains(0xF4) else { return withCString(body) }
        var bytes: [CChar] = []
        for scalar in unicodeScalars {
            if FileName.escapes.contains(scalar.value) {
                bytes.append(CChar(truncatingIfNeeded: scalar.value))
            } else {
                bytes += UTF8.encode(scalar)!.map { CChar(bitPattern: $0) }
            }
        }
        bytes.append(0)
        return bytes.withUnsafeBufferPointer { body($0.baseAddress!) }
    }

    /// A copy of those bytes, for calls that change the name.
    package var fileNameBytes: [CChar] { withFileName { Array(UnsafeBufferPointer(start: $0, count: strlen($0) + 1)) } }
}

// The system's calls on names, using each name's own bytes. Swift prefers these functions to the ones it imports, whose
// names are UTF-8, so every file that imports Files uses them without further effort.

@discardableResult
package func open(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 {
    path.withFileName { Glibc.open($0, flags, mode) }
}
@discardableResult
package func openat(_ folder: Int32, _ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 {
    path.withFileName { Glibc.openat(folder, $0, flags, mode) }
}
@discardableResult
package func stat(_ path: String, _ status: UnsafeMutablePointer<Glibc.stat>) -> Int32 {
    path.withFileName { Glibc.fstatat(AT_FDCWD, $0, status, 0) }
}
@discardableResult
package func lstat(_ path: String, _ status: UnsafeMutablePointer<Glibc.stat>) -> Int32 {
    path.withFileName { Glibc.lstat($0, status) }
}
@discardableResult
package func fstatat(
    _ folder: Int32, _ path: String, _ status: UnsafeMutablePointer<Glibc.stat>, _ flags: Int32
) -> Int32 { path.withFileName { Glibc.fstatat(folder, $0, status, flags) } }
@discardableResult
package func access(_ path: String, _ mode: Int32) -> Int32 { path.withFileName { Glibc.access($0, mode) } }
@discardableResult
package func faccessat(_ folder: Int32, _ path: String, _ mode: Int32, _ flags: Int32) -> Int32 {
    path.withFileName { Glibc.faccessat(folder, $0, mode, flags) }
}
@discardableResult
package func chmod(_ path: String, _ mode: mode_t) -> Int32 { path.withFileName { Glibc.chmod($0, mode) } }
@discardableResult
package func mkdir(_ path: String, _ mode: mode_t) -> Int32 { path.withFileName { Glibc.mkdir($0, mode) } }
@discardableResult
package func mkdirat(_ folder: Int32, _ path: String, _ mode: mode_t) -> Int32 {
    path.withFileName { Glibc.mkdirat(folder, $0, mode) }
}
package func opendir(_ path: String) -> OpaquePointer? { path.withFileName { Glibc.opendir($0) } }
@discardableResult
package func rename(_ from: String, _ to: String) -> Int32 {
    from.withFileName { from in to.withFileName { Glibc.rename(from, $0) } }
}
@discardableResult
package func unlink(_ path: String) -> Int32 { path.withFileName { Glibc.unlink($0) } }
@discardableResult
package func unlinkat(_ folder: Int32, _ path: String, _ flags: Int32) -> Int32 {
    path.withFileName { Glibc.unlinkat(folder, $0, flags) }
}
@discardableResult
package func linkat(_ from: Int32, _ path: String, _ to: Int32, _ name: String, _ flags: Int32) -> Int32 {
    path.withFileName { path in name.withFileName { Glibc.linkat(from, path, to, $0, flags) } }
}
@discardableResult
package func renameAt(_ from: Int32, _ path: String, _ to: Int32, _ name: String, _ mayReplace: Int32) -> Int32 {
    path.withFileName { path in name.withFileName { LivecapCSystem.lc_rename(from, path, to, $0, mayReplace) } }
}

/// Calls `body` with the names as a null-terminated array of C strings, as programs are started with.
package func withFileNames<Result>(
    _ names: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    let copies: [UnsafeMutablePointer<CChar>?] = names.map { $0.withFileName { strdup($0) } } + [nil]
    defer { for copy in copies { free(copy) } }
    return copies.withUnsafeBufferPointer { body($0.baseAddress!) }
}

/// A variable of the environment that names a file or folder; nil if it is unset or empty: `getenv(3)`.
package func pathInEnvironment(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return FileName.text(cString: value)
}

/// The path with links and `.` and `..` resolved: `realpath(3)`; nil if it does not exist.
package func resolvedPath(_ path: String) -> String? {
    guard let found = path.withFileName({ realpath($0, nil) }) else { return nil }
    defer { free(found) }
    return FileName.text(cString: found)
}
