// SPDX-License-Identifier: MIT
// Commands about the program itself, generated from its command table.

import LivecapCommandTable
import LivecapIntents

/// `help`, `completions`, `man`, `schema` and `version`.
enum HelpCommands {
    /// The commands. Help is available about `others` and about these.
    static func verbs(for others: [Command]) -> [Verb] {
        [
            help(others.map(\.name) + ["help", "completions", "man", "schema", "version"]), completions, man, schema,
            version,
        ]
    }

    private static func help(_ names: [String]) -> Verb {
        let topic = Positional(
            .text("COMMAND", completion: .words(names)), required: false, repeatable: true,
            help:
                "The command to explain, and its action if it has any; add all to list every option (default: the program)"
        )
        let command = Command(
            "help", summary: "explain the program or a command", positionals: [topic],
            examples: [
                Example("livecap help record", "what most people need of 'record'"),
                Example("livecap help record all", "every option"),
                Example("livecap help library finish", "an action of a command"),
            ])
        return Verb(command: command) { arguments, console throws(Failure) in
            var words = arguments.all(topic)
            let isWhole = words.count > 1 && words.last == "all"
            if isWhole { words.removeLast() }
            let name = words.joined(separator: " ")
            guard !name.isEmpty else {
                try console.print(trimmed: Livecap.program.help)
                return 0
            }
            guard let command = Livecap.program.command(name) else {
                throw .usage(Livecap.program.unknownCommand(name))
            }
            try console.print(trimmed: Livecap.program.help(for: command, isWhole: isWhole))
            return 0
        }
    }

    private static var completions: Verb {
        let shell = Positional(
            ValueKind<String>.choice("SHELL", of: Program.Shell.allCases.map(\.rawValue))
                .map { Program.Shell(rawValue: $0)! },
            help: "bash, zsh or fish")
        let command = Command(
            "completions", summary: "print completions for a shell",
            discussion: "The script belongs where the shell looks for completions; its first lines say where.",
            positionals: [shell],
            examples: [Example("source <(livecap completions bash)", "completions in the current shell")])
        return Verb(command: command) { arguments, console throws(Failure) in
            try console.print(trimmed: Livecap.program.completions(for: arguments.required(shell)))
            return 0
        }
    }

    private static var man: Verb {
        let command = Command(
            "man", summary: "print the manual page",
            examples: [Example("livecap man | man -l -", "read the manual")])
        return Verb(command: command) { _, console throws(Failure) in
            try console.print(trimmed: Livecap.program.manPage)
            return 0
        }
    }

    private static var schema: Verb {
        let command = Command(
            "schema", summary: "print what programs can ask of livecap, as JSON Schema",
            discussion: """
                Lines for the socket of 'livecap run' and bodies of requests to 'livecap serve' have one form. The schema says \
                which members they may have, and what each means; "Reply" is what the socket answers. 'livecap serve' has it \
                at /intents.json, too.
                """,
            examples: [Example("livecap schema | jq '.\"$defs\".Tap'", "what a tap may have")])
        return Verb(command: command) { _, console throws(Failure) in
            try console.print(IntentSchema.document)
            return 0
        }
    }

    private static var version: Verb {
        let json = Flag("json", help: "Print a JSON object: also the commit, the kind of build and the best kernels")
        let command = Command(
            "version", summary: "print the version", groups: [OptionGroup("Options", [json])])
        return Verb(command: command) { arguments, console throws(Failure) in
            if arguments[json] {
                try console.print(BuildInformation.object)
            } else {
                try console.print("livecap \(BuildInformation.version)")
            }
            return 0
        }
    }
}
