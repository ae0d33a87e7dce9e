// SPDX-License-Identifier: MIT
// The bytes of an array, lent to calls that throw errors of one type.

extension Array<UInt8> {
    /// Lends the array's bytes while preserving the type of the error.
    package func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBufferPointer { (buffer) throws(Failure) in try body(UnsafeRawBufferPointer(buffer)) }
    }

    /// Lends the array's bytes while preserving the type of the error.
    package mutating func withMutableBytes<Result, Failure: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeMutableBufferPointer { (buffer) throws(Failure) in
            try body(UnsafeMutableRawBufferPointer(buffer))
        }
    }
}
