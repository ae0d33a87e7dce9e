// SPDX-License-Identifier: MIT
// How short the machine is of memory, processor, disk or coolness, and what makes it so.

/// The pressure that a machine is under, and its causes.
public struct SystemPressure: Hashable, Codable, Sendable {
    /// How strong it is.
    public enum Level: String, Hashable, Codable, Sendable, CaseIterable, Comparable {
        /// Everything has room.
        case nominal
        /// Noticeable. Nothing has to change yet.
        case fair
        /// Work should become less.
        case serious
        /// Work should become as little as possible.
        case critical

        /// Lower levels come first.
        public static func < (first: Level, second: Level) -> Bool { first.rank < second.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

        /// The next level down.
        var relieved: Level { Self.allCases[max(0, rank - 1)] }
    }

    /// Something that a machine can be short of.
    public enum Resource: String, Hashable, Codable, Sendable, CaseIterable {
        /// Processes wait for memory.
        case memory
        /// Processes wait for a processor.
        case processor
        /// Processes wait for disks.
        case io
        /// A part of the machine is hot.
        case temperature
    }

    /// A cause of the pressure.
    public struct Factor: Hashable, Codable, Sendable {
        /// What the machine is short of.
        public let resource: Resource
        /// How much this cause alone amounts to.
        public let level: Level
        /// For people, such as `processes wait for memory 23 % of the time`.
        public let words: String
    }

    /// The level: the strongest of the causes, which subsides more slowly than they do.
    public let level: Level
    /// The present causes, the strongest first; empty if there are none, also while the level still subsides.
    public let factors: [Factor]

    /// No pressure.
    public static let none = SystemPressure(level: .nominal, factors: [])

    /// Such as `serious: processes wait for memory 23 % of the time`.
    public var words: String {
        factors.isEmpty ? level.rawValue : "\(level.rawValue): \(factors.map(\.words).joined(separator: ", "))"
    }
}
