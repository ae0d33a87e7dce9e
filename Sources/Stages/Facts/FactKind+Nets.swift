// SPDX-License-Identifier: MIT
// What finding facts needs.

import LivecapDetection
import LivecapFrames

extension FactKind {
    /// The nets that find facts of this kind.
    private var models: [NetModel] {
        switch self {
        case .faces: [.faces, .faceMesh]
        case .hands: [.palms, .hand]
        }
    }

    /// Why facts of some kinds cannot be found here: what they need is loaded, and let go. Nil if they can.
    package static func lack(_ kinds: Set<FactKind>) -> NetError? {
        guard !kinds.isEmpty else { return nil }
        do throws(NetError) {
            let nets = try Nets()
            for model in kinds.flatMap(\.models) { _ = try nets.open(model) }
            return nil
        } catch { return error }
    }
}
