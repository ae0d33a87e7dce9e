// SPDX-License-Identifier: MIT
// The interface to the threads that do a fusion's work.

/// A set of threads, supplied by the caller, that share a fusion's work.
public protocol FusionPool: Sendable {
    /// The maximum number of bodies that run at the same time.
    var threads: Int { get }
    /// Calls `body` once for each of 0..<count, in any order and possibly concurrently, and returns when all calls
    /// are done.
    func run(_ count: Int, _ body: @Sendable (Int) -> Void)
}

/// Does all work on the calling thread.
public struct CallersThread: FusionPool {
    /// Creates a pool that uses only the calling thread.
    public init() {}
    /// Always 1.
    public var threads: Int { 1 }
    /// Calls `body` for one index after the other.
    public func run(_ count: Int, _ body: @Sendable (Int) -> Void) { for index in 0..<count { body(index) } }
}
