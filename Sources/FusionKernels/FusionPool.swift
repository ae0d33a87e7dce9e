// SPDX-License-Identifier: MIT
// Who does the work of a fusion.

/// Threads that share a fusion's work, given by the caller.
public protocol FusionPool: Sendable {
    /// How many bodies may run at once.
    var threads: Int { get }
    /// Calls `body` once for each of 0..<count, in any order and perhaps at once, and returns when all are done.
    func run(_ count: Int, _ body: @Sendable (Int) -> Void)
}

/// Work on the caller's own thread.
public struct CallersThread: FusionPool {
    /// The caller's own thread.
    public init() {}
    /// One.
    public var threads: Int { 1 }
    /// Calls one after the other.
    public func run(_ count: Int, _ body: @Sendable (Int) -> Void) { for index in 0..<count { body(index) } }
}
