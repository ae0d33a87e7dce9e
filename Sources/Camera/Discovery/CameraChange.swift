// SPDX-License-Identifier: MIT
// Changes among the connected cameras, as one reader sees them.

/// What happened to a camera.
public enum CameraChange: Hashable, Sendable {
    /// It was connected already when this reader began.
    case present(CameraRecord)
    /// It was plugged in.
    case added(CameraRecord)
    /// It was unplugged.
    case removed(CameraRecord)
    /// Something about it changed: it can be opened now, or a twin has come and its identity is that of its port.
    case changed(CameraRecord)

    /// The camera.
    public var camera: CameraRecord {
        switch self {
        case .present(let camera), .added(let camera), .removed(let camera), .changed(let camera): camera
        }
    }
}

/// One reader's view of the cameras. It compares what there is with what the reader has seen: a slow reader misses
/// intermediate states but never a difference, and needs no memory for it.
struct CameraDifferences {
    private var seen: [String: ConnectedCamera] = [:]
    private var pending: ArraySlice<CameraChange> = []
    private var hasBegun = false
    private let filter: CameraFilter

    init(_ filter: CameraFilter) { self.filter = filter }

    /// The next change, if the cameras are these now; nil if there is none.
    mutating func next(_ cameras: [ConnectedCamera]) -> CameraChange? {
        if pending.isEmpty { pending = compare(cameras.filter { filter.includes($0.record) })[...] }
        return pending.popFirst()
    }

    private mutating func compare(_ cameras: [ConnectedCamera]) -> [CameraChange] {
        let now = Dictionary(uniqueKeysWithValues: cameras.map { ($0.record.path, $0) })
        let gone = seen.values.filter { now[$0.record.path]?.arrival != $0.arrival }.map(\.record)
        var changes = gone.sorted { $0.path < $1.path }.map(CameraChange.removed)
        for camera in cameras {
            if let before = seen[camera.record.path], before.arrival == camera.arrival {
                if before.record.essence != camera.record.essence { changes.append(.changed(camera.record)) }
            } else {
                changes.append(hasBegun ? .added(camera.record) : .present(camera.record))
            }
        }
        (seen, hasBegun) = (now, true)
        return changes
    }
}

extension CameraRecord {
    /// The record without what changes all the time.
    var essence: CameraRecord {
        var essence = self
        (essence.controls, essence.users) = ([], [])
        return essence
    }
}
