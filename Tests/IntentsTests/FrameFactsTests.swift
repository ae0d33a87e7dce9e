// SPDX-License-Identifier: MIT
// What is known of people, as JSON.

import LivecapFrames
import Testing

@testable import LivecapIntents

@Suite struct FrameFactsTests {
    private let frame = FrameID(epoch: 2, counter: 345)
    private let time = Timestamp(nanoseconds: 9_007_199_254_740_993)

    @Test func everythingIsWritten() {
        let box = PictureBox(origin: PicturePoint(x: 0.25, y: 0.1), width: 0.2, height: 0.33333)
        let face = FaceFacts(
            id: 7, box: box, confidence: 0.98, roll: -12.34, eyesOpen: FaceFacts.Eyes(right: 0.9, left: 0.05),
            landmarks: [PicturePoint(x: 0.3, y: 0.2), PicturePoint(x: 0.4, y: 0.2)])
        let hand = HandFacts(
            id: 3, box: PictureBox(origin: PicturePoint(x: -0.05, y: 0.5), width: 0.15, height: 0.25),
            confidence: 1, isRight: true, gesture: .thumbUp, landmarks: [PicturePoint(x: 0, y: 1)])
        let facts = FrameFacts(
            frame: frame, time: time, faces: [face], hands: [hand], reactions: [.hearts, .thumbsUp])
        #expect(
            facts.json.text
                == #"{"frame":"2:345","timeNs":"9007199254740993","faces":[{"id":7,"box":[0.25,0.1,0.2,0.3333],"#
                + #""confidence":0.98,"roll":-12.3,"eyesOpen":{"right":0.9,"left":0.05},"#
                + #""landmarks":[[0.3,0.2],[0.4,0.2]]}],"hands":[{"id":3,"box":[-0.05,0.5,0.15,0.25],"#
                + #""confidence":1.0,"isRight":true,"gesture":"thumb-up","landmarks":[[0.0,1.0]]}],"#
                + #""reactions":["hearts","thumbs-up"]}"#)
    }

    @Test func whatWasNotLookedForIsNull() {
        let box = PictureBox(origin: PicturePoint(x: 0, y: 0), width: 1, height: 1)
        let hand = HandFacts(id: 1, box: box, confidence: 0.5, isRight: false)
        #expect(
            FrameFacts(frame: frame, time: time, hands: [hand]).json.text
                == #"{"frame":"2:345","timeNs":"9007199254740993","faces":null,"hands":[{"id":1,"#
                + #""box":[0.0,0.0,1.0,1.0],"confidence":0.5,"isRight":false,"gesture":null,"landmarks":[]}],"#
                + #""reactions":[]}"#)
        let face = FaceFacts(id: 1, box: box, confidence: 0.5, roll: -0.001)
        #expect(
            FrameFacts(frame: frame, time: time, faces: [face]).json["faces"]?.text
                == #"[{"id":1,"box":[0.0,0.0,1.0,1.0],"confidence":0.5,"roll":0.0,"eyesOpen":null,"landmarks":[]}]"#)
    }

    /// Nobody there is an answer, too.
    @Test func emptyIsNotNull() {
        let text = FrameFacts(frame: frame, time: time, faces: [], hands: []).json.text
        #expect(text.contains(#""faces":[],"hands":[]"#))
    }
}
