// SPDX-License-Identifier: MIT
// What `--facts` takes, and what a run says of who is seen.

import LivecapFrames
import Testing

@testable import livecap

@Suite struct RunFactsTests {
    @Test(
        arguments: [
            ("faces", [.faces]), ("hands", [.hands]), ("faces,hands", [.faces, .hands]),
            ("hands,faces", [.faces, .hands]),
            ("faces,faces", [.faces]),
        ] as [(String, Set<FactKind>)])
    func kindsAreAListWithCommas(_ text: String, _ kinds: Set<FactKind>) {
        #expect(FactKind.set(text) == kinds)
    }

    @Test(arguments: ["", ",", "faces,", ",faces", "faces, hands", "Faces", "ears", "faces,ears", "none"])
    func anythingElseIsNone(text: String) { #expect(FactKind.set(text) == nil) }

    private static let box = PictureBox(origin: PicturePoint(x: 0, y: 0), width: 1, height: 1)

    private func facts(faces: Int?, hands: [HandGesture?]?) -> FrameFacts {
        FrameFacts(
            frame: FrameID(epoch: 0, counter: 1), time: .zero,
            faces: faces.map { count in
                (0..<count).map { FaceFacts(id: $0, box: Self.box, confidence: 1) }
            },
            hands: hands?.enumerated().map { id, gesture in
                HandFacts(id: id, box: Self.box, confidence: 1, isRight: true, gesture: gesture)
            })
    }

    @Test(
        arguments: [
            (0, nil, "no face"), (1, nil, "1 face"), (2, nil, "2 faces"), (nil, [], "no hand"), (nil, [nil], "1 hand"),
            (0, [.victory, nil], "no face, 2 hands, victory"), (2, [.thumbUp], "2 faces, 1 hand, thumb-up"),
            (1, [.horns, .horns], "1 face, 2 hands, horns, horns"),
        ] as [(Int?, [HandGesture?]?, String)])
    func whoIsSeenIsSaidInWords(_ faces: Int?, _ hands: [HandGesture?]?, _ words: String) {
        #expect(facts(faces: faces, hands: hands).words == words)
    }

    /// A line is printed whenever the words change, and which hand comes first says nothing.
    @Test func theOrderOfHandsDoesNotMatter() {
        let one = facts(faces: nil, hands: [.horns, .victory, nil]).words
        #expect(one == "3 hands, victory, horns")
        #expect(facts(faces: nil, hands: [nil, .victory, .horns]).words == one)
    }
}
