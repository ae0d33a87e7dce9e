// SPDX-License-Identifier: MIT
// What is known of the people in a frame.

/// A place in a picture: 0 at its left and upper edge, 1 at the others.
public struct PicturePoint: Hashable, Sendable {
    /// The way from the left edge.
    public var x: Float
    /// The way from the upper edge.
    public var y: Float

    /// A place in a picture.
    public init(x: Float, y: Float) { (self.x, self.y) = (x, y) }
}

/// An upright part of a picture, in shares of its width and height. It may lie partly outside.
public struct PictureBox: Hashable, Sendable {
    /// The corner at the upper left.
    public var origin: PicturePoint
    /// Its width.
    public var width: Float
    /// Its height.
    public var height: Float

    /// A part of a picture.
    public init(origin: PicturePoint, width: Float, height: Float) {
        self.origin = origin
        self.width = width
        self.height = height
    }
}

/// What can be known of people.
public enum FactKind: String, Hashable, Sendable, CaseIterable {
    /// Where faces are, and whether their eyes are open.
    case faces
    /// Where hands are, and what they show.
    case hands
}

/// What is known of a face.
public struct FaceFacts: Hashable, Sendable {
    /// The same for as long as the face is followed.
    public var id: Int
    /// Where it is.
    public var box: PictureBox
    /// How sure it is, from 0 to 1.
    public var confidence: Float
    /// How far it is turned in the plane of the picture, in degrees: positive if its upper end leans to the right of
    /// the picture.
    public var roll: Float
    /// How far the person's right and left eye are open, from 0, which is closed, to 1; nil if that was not looked at.
    public var eyesOpen: Eyes?
    /// The person's right eye and left eye, the tip of the nose, the middle of the mouth, the right ear and the left
    /// ear.
    public var landmarks: [PicturePoint]

    /// How far eyes are open.
    public struct Eyes: Hashable, Sendable {
        /// The person's right eye.
        public var right: Float
        /// The person's left eye.
        public var left: Float

        /// How far eyes are open.
        public init(right: Float, left: Float) { (self.right, self.left) = (right, left) }

        /// Whether both are open.
        public var areOpen: Bool { min(right, left) >= 0.5 }
    }

    /// What is known of a face.
    public init(
        id: Int, box: PictureBox, confidence: Float, roll: Float = 0, eyesOpen: Eyes? = nil,
        landmarks: [PicturePoint] = []
    ) {
        self.id = id
        self.box = box
        self.confidence = confidence
        self.roll = roll
        self.eyesOpen = eyesOpen
        self.landmarks = landmarks
    }
}

/// What a hand shows.
public enum HandGesture: String, Hashable, Sendable, CaseIterable {
    /// A fist with the thumb up.
    case thumbUp = "thumb-up"
    /// A fist with the thumb down.
    case thumbDown = "thumb-down"
    /// Two fingers spread, the palm to the camera or not.
    case victory
    /// First and little finger.
    case horns
    /// Half of a heart: fingers bent, and the thumb below them. It takes two.
    case halfHeart = "half-heart"
}

/// What is known of a hand.
public struct HandFacts: Hashable, Sendable {
    /// The same for as long as the hand is followed.
    public var id: Int
    /// Where it is.
    public var box: PictureBox
    /// How sure it is, from 0 to 1.
    public var confidence: Float
    /// Whether it is the person's right one.
    public var isRight: Bool
    /// What it shows; nil for nothing that is known.
    public var gesture: HandGesture?
    /// The wrist, and four points of each finger from its root to its tip, beginning with the thumb: 21.
    public var landmarks: [PicturePoint]

    /// What is known of a hand.
    public init(
        id: Int, box: PictureBox, confidence: Float, isRight: Bool, gesture: HandGesture? = nil,
        landmarks: [PicturePoint] = []
    ) {
        self.id = id
        self.box = box
        self.confidence = confidence
        self.isRight = isRight
        self.gesture = gesture
        self.landmarks = landmarks
    }
}

/// What is known of the people in a frame.
public struct FrameFacts: Hashable, Sendable {
    /// The frame that was looked at.
    public var frame: FrameID
    /// When it was exposed.
    public var time: Timestamp
    /// Those that were found, the largest first; nil if faces were not looked for.
    public var faces: [FaceFacts]?
    /// The hands that were found; nil if none were looked for.
    public var hands: [HandFacts]?
    /// The reactions that are drawn into pictures with effects.
    public var reactions: [Reaction]

    /// What is known of the people in a frame.
    public init(
        frame: FrameID, time: Timestamp, faces: [FaceFacts]? = nil, hands: [HandFacts]? = nil,
        reactions: [Reaction] = []
    ) {
        self.frame = frame
        self.time = time
        self.faces = faces
        self.hands = hands
        self.reactions = reactions
    }
}
