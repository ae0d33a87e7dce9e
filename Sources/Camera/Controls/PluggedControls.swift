// SPDX-License-Identifier: MIT
// Sets a camera that has just been plugged in, one round of tries after the other.

import LivecapFrames

/// The settings of a camera, on their way into it. The caller waits between the rounds, and may do other things
/// meanwhile. Each round blocks.
package struct PluggedControls {
    private let node: ControlNode
    private let settings: [ControlSetting]
    private let pace: ControlPace
    /// Until the camera has said which controls it has.
    private var listing: ControlRounds<Void>
    private var rounds: ControlRounds<ControlChange>?
    /// What the camera does not accept.
    private var impossible: [ControlSetting] = []

    /// Settings for the camera at a node.
    package init(_ settings: [ControlSetting], at path: String) throws(CameraError) {
        try self.init(settings, of: ControlNode(path), .plugged)
    }

    init(_ settings: [ControlSetting], of node: ControlNode, _ pace: ControlPace) {
        self.node = node
        self.settings = settings
        self.pace = pace
        listing = ControlRounds([()], pace)
    }

    /// When the next round is due; nil if there is none any more.
    package var due: Timestamp? { rounds.map(\.due) ?? listing.due }
    /// The settings that the camera does not accept.
    package var refused: [ControlSetting] { impossible + (rounds?.refused ?? []).map(\.change.setting) }
    /// The settings that the camera has failed at until now.
    package var failed: [ControlSetting] { (rounds?.open ?? []).map(\.change.setting) }

    /// Tries everything that is not set yet.
    /// - Throws: `disconnected`, and why the camera does not say what controls it has.
    package mutating func run() throws(CameraError) {
        if rounds == nil {
            guard let controls = try list() else { return }
            let plan = ControlPlan(possible: settings, for: controls)
            impossible = plan.leftOut
            rounds = ControlRounds(plan.changes, pace)
        }
        let node = node
        rounds?.run(pace) { node.device.result(of: $0) }
        if rounds?.isGone == true { throw .disconnected(path: node.path) }
    }

    /// The camera's controls; nil if it is to be asked again.
    private mutating func list() throws(CameraError) -> [CameraControl]? {
        var answer: Result<[CameraControl], CameraError>?
        let node = node
        listing.run(pace) { _ in
            answer = Result { () throws(CameraError) in try node.controls() }
            return answer?.errno ?? 0
        }
        return listing.due == nil ? try answer?.get() : nil
    }
}
