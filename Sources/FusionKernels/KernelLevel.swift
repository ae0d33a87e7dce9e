// SPDX-License-Identifier: MIT
// Which processor instructions the kernels use.

import Glibc
import LivecapCFusionKernels

/// A level of the kernels: the instruction sets they may use. Every level gives the same picture, bit for bit.
public enum KernelLevel: String, Hashable, Codable, Sendable, CaseIterable, Comparable {
    /// The baseline of the architecture: SSE2 on x86-64, NEON on arm64.
    case portable
    /// AVX2: Intel and AMD processors since about 2013 to 2017.
    case avx2

    /// Whether this processor supports the level.
    public var isSupported: Bool { table != nil }

    /// The levels this processor supports, in ascending order.
    public static var supported: [KernelLevel] { allCases.filter(\.isSupported) }

    /// The highest level this processor supports.
    public static var best: KernelLevel { supported.last ?? .portable }

    /// The environment variable that forces a level.
    package static let variable = "LIVECAP_KERNELS"

    /// The level named in `environment` (default: the highest of `supported`).
    /// - Throws: `unsupportedLevel` if the named level is none of `supported`.
    package static func chosen(
        environment: [String: String], among supported: [KernelLevel] = supported
    ) throws(FusionError) -> KernelLevel {
        guard let name = environment[variable], !name.isEmpty else { return supported.last ?? .portable }
        guard let level = supported.first(where: { $0.rawValue == name }) else {
            throw .unsupportedLevel(name, supported: supported)
        }
        return level
    }

    /// The level named in this process's environment (default: the best).
    /// - Throws: `unsupportedLevel` if this processor does not support the named level.
    public static func chosen() throws(FusionError) -> KernelLevel {
        let value = getenv(variable).map { String(cString: $0) }
        return try chosen(environment: value.map { [variable: $0] } ?? [:])
    }

    /// Orders levels by the instructions they require, fewest first.
    public static func < (a: KernelLevel, b: KernelLevel) -> Bool { a.place < b.place }

    private var place: Int { Self.allCases.firstIndex(of: self)! }

    /// The kernels of the level, for callers that cannot continue without them.
    func kernels() throws(FusionError) -> UnsafePointer<fusion_kernels> {
        guard let table else { throw .unsupportedLevel(rawValue, supported: Self.supported) }
        return table
    }

    /// The kernels of a level, or of the one that this process's environment names (default: the best).
    static func kernels(of level: KernelLevel?) throws(FusionError) -> UnsafePointer<fusion_kernels> {
        if let level { return try level.kernels() }
        return try chosen().kernels()
    }

    /// The kernels of the level, or nil if the processor does not support it. They are constants of the program.
    package var table: UnsafePointer<fusion_kernels>? {
        switch self {
        case .portable: fusion_kernels_of(FUSION_PORTABLE)
        case .avx2: fusion_kernels_of(FUSION_AVX2)
        }
    }
}
