// SPDX-License-Identifier: MIT
// How much of the processor's abilities the kernels use.

import CFusionKernels

/// A level of the kernels. Every level gives the same picture, bit for bit.
public enum KernelLevel: String, Sendable, CaseIterable, Comparable {
    /// What every processor of the architecture has: SSE2 on x86-64, NEON on arm64.
    case portable
    /// Intel and AMD processors since about 2013 to 2017.
    case avx2
    /// With AVX-512 F, BW, VL and DQ.
    case avx512

    /// Whether this processor has it.
    public var isSupported: Bool { table != nil }

    /// The highest level this processor has.
    public static var best: KernelLevel { allCases.last { $0.isSupported } ?? .portable }

    /// The lower level is the one that asks for less.
    public static func < (a: KernelLevel, b: KernelLevel) -> Bool { a.place < b.place }

    private var place: Int { Self.allCases.firstIndex(of: self)! }

    /// The kernels of the level; nil where the processor does not have it. They are constants of the program.
    var table: UnsafePointer<fusion_kernels>? {
        switch self {
        case .portable: fusion_kernels_of(FUSION_PORTABLE)
        case .avx2: fusion_kernels_of(FUSION_AVX2)
        case .avx512: fusion_kernels_of(FUSION_AVX512)
        }
    }
}
