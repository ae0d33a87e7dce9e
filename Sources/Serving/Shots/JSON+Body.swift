// SPDX-License-Identifier: MIT
// Reads the body of a request: an object with known keys only.

import LivecapJSONText

extension JSON {
    /// The object in a body; an empty one without a body. Throws if it is none, with `example` as the hint, or has keys that
    /// are not `known`: a misspelt one would do nothing, without a word.
    init(body: [UInt8], known: Set<String>, example: String) throws(ShotWish.Fault) {
        let object = body.isEmpty ? JSON.object([]) : JSON(parsing: body)
        guard let object, case .object(let members) = object else {
            throw ShotWish.Fault(words: "the body is no JSON object", hint: "send \(example)")
        }
        if let unknown = members.first(where: { !known.contains($0.0) }) {
            throw ShotWish.Fault(
                words: "\"\(unknown.0)\" is not known", hint: "known are \(known.sorted().joined(separator: ", "))")
        }
        self = object
    }
}
