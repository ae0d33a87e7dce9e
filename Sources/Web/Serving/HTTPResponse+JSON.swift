// SPDX-License-Identifier: MIT
// Answers in JSON.

import LivecapHTTP
import LivecapIntents
import LivecapThreads

extension HTTPResponse {
    /// A JSON value.
    static func json(_ value: JSON, status: Int = 200) -> HTTPResponse {
        HTTPResponse(status, type: "application/json", .bytes(Array((value.text + "\n").utf8)))
            .with("Cache-Control", "no-store")
    }

    /// Why there is no other answer, and what to do about it.
    static func failure(_ status: Int, _ message: String, code: String, hint: String) -> HTTPResponse {
        json(
            .object([("error", .string(message)), ("code", .string(code)), ("hint", .string(hint))]), status: status)
    }

    /// An error of the libraries.
    static func failure(_ status: Int, _ error: some ExplainedError, code: String) -> HTTPResponse {
        failure(status, error.message, code: code, hint: ClientHints.hint(error))
    }

    /// What is wrong with the body of a request.
    static func failure(_ fault: IntentFault) -> HTTPResponse {
        failure(400, fault.message, code: "bad-request", hint: fault.hint)
    }

    /// A JPEG picture.
    static func jpeg(_ bytes: [UInt8]) -> HTTPResponse {
        HTTPResponse(type: "image/jpeg", .bytes(bytes)).with("Cache-Control", "no-store")
    }

    static let notFound = failure(404, "there is no such page", code: "not-found", hint: "see /openapi.json")
}
