// SPDX-License-Identifier: MIT
// Which of the connected cameras a program follows.

/// Cameras of some kinds at some positions. Nil stands for all.
package struct CameraFilter: Hashable, Sendable {
    private let kinds: Set<CameraKind>?
    private let positions: Set<CameraPosition>?

    /// By default all cameras.
    package init(kinds: Set<CameraKind>? = nil, positions: Set<CameraPosition>? = nil) {
        self.kinds = kinds
        self.positions = positions
    }

    /// Whether it leaves nothing out.
    package var isEmpty: Bool { kinds == nil && positions == nil }

    /// Whether the camera is one of them. One that could not be queried is of no kind.
    package func includes(_ camera: CameraRecord) -> Bool {
        let isOfKind = kinds.map { kinds in camera.kind.map(kinds.contains) ?? false } ?? true
        return isOfKind && positions?.contains(camera.position) ?? true
    }
}
