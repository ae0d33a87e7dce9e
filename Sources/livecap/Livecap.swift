// SPDX-License-Identifier: MIT
// The program's command table, and the way from a command line to the command's code.

import CommandTable

/// A command with its code.
struct Verb: Sendable {
    let command: Command
    /// Runs the command. Returns the exit status.
    let run: @Sendable (Arguments, inout Console) throws(Failure) -> Int32
    /// The verbs of its actions, if it has any.
    let actions: [Verb]

    init(command: Command, run: @escaping @Sendable (Arguments, inout Console) throws(Failure) -> Int32) {
        (self.command, self.run, actions) = (command, run, [])
    }

    /// A command that is always followed by one of its actions.
    init(_ name: String, summary: String, discussion: String, actions: [Verb], examples: [Example]) {
        command = Command(
            name, summary: summary, discussion: discussion, actions: actions.map(\.command), examples: examples)
        self.actions = actions
        run = { (_, _) throws(Failure) in preconditionFailure("the parser insists on an action") }
    }

    /// The verb of this command, or of one of its actions.
    func verb(of command: Command) -> Verb? {
        self.command.name == command.name ? self : actions.first { $0.command.name == command.name }
    }
}

/// The livecap program.
enum Livecap {
    /// All commands, in the order of the help.
    static let verbs: [Verb] = {
        let working = [
            DevicesCommand.verb, RecordCommand.verb, ExportCommand.verb, InfoCommand.verb, ShootCommand.verb,
            RunCommand.verb,
            LibraryCommand.verb, DevelopCommand.verb, BenchCommand.verb,
        ]
        return working + HelpCommands.verbs(for: working.map(\.command))
    }()

    /// The table from which everything about the command line is generated.
    static let program = Program(
        "livecap", version: version, summary: "zero-shutter-lag camera software for Linux webcams",
        discussion: """
            livecap keeps the last moments of a camera in memory, so that a picture can be of the moment it was asked \
            for. It works with any camera Linux knows (V4L2), with recordings, and with scenes it makes up.

            Every command takes --json: results are then one object a line on standard output; words for people go \
            to standard error either way.
            """,
        commands: verbs.map(\.command),
        shortcuts: [
            .init(
                Flag(
                    "list-devices", aliases: ["list-formats", "list-ctrls", "list-controls"],
                    help: "The same as 'livecap devices'"), for: "devices"),
            .init(Flag("version", short: "V", help: "Print the version"), for: "version"),
        ],
        foreign: ForeignOptions.all, sections: [exitStatuses, signals, settings, environment])

    static let version = "0.1.0"

    private static let exitStatuses = Program.Section(
        "Exit status", about: "Those of sysexits.h:",
        [
            ("0", "Done; also when Ctrl-C ended a recording, which is then complete"),
            ("64", "The command line makes no sense"),
            ("65", "A file, or a library, is not what it should be"),
            ("66", "No such file to read, no such library or photo"),
            ("69", "No camera, or one that cannot do what was asked for, is in use or went away"),
            ("70", "A picture cannot be made of frames that can be read; a benchmark found something broken"),
            ("71", "The system has not enough memory, threads or descriptors"),
            ("73", "The output cannot be created, or exists"),
            ("74", "Reading, writing or a driver failed"),
            ("75", "Somebody else is at it: try again"),
            ("77", "Not permitted"),
            ("129, 143", "Ended by SIGHUP or SIGTERM; a recording is complete"),
            ("130", "Ended by Ctrl-C before the first frame, with nothing written; or at once by a second Ctrl-C"),
        ])

    private static let signals = Program.Section(
        "Signals", about: "What 'shoot', 'run' and 'record' do at a signal:",
        [
            (
                "SIGINT, SIGTERM, SIGHUP",
                "Ctrl-C, kill, or a closed terminal: finish what is begun and end; a second Ctrl-C or kill ends at once"
            ),
            ("SIGQUIT", "End at once, with a core dump where those are enabled"),
            (
                "SIGUSR1, SIGRTMIN",
                "A tap of 'run', from the moment it says that it is ready; earlier ones are refused in words. They mean "
                    + "nothing to other commands"
            ),
            (
                "ignored ones",
                "A signal that is ignored at the start stays so, as POSIX has it: SIGINT and SIGQUIT in a script's "
                    + "'livecap run &', SIGHUP with nohup. SIGTERM then ends livecap"
            ),
        ])

    private static let settings = Program.Section(
        "Files",
        [
            (
                "~/.config/livecap/config",
                "Options for every time, without their dashes: lines as in 'quality = quality', 'device = 0' or 'quiet = yes', and "
                    + "after a line '[shoot]' those for one command only. Those that are something else to another command, as format, "
                    + "frames and count are, can stand only there. The command line counts before it. Lines that begin with # "
                    + "are comments. It is in XDG_CONFIG_HOME instead of ~/.config where that is set"
            )
        ])

    private static let environment = Program.Section(
        "Environment",
        [
            ("XDG_CONFIG_HOME", "Where the file of settings is, in livecap/config there"),
            (
                "XDG_DATA_HOME",
                "Where the library is when none is named: in livecap/library there, else in ~/.local/share"
            ),
            ("LIVECAP_KERNELS", "Kernels to fuse with, as --kernels of 'shoot' has them"),
            ("NO_COLOR", "No colours when set and not empty"),
            ("TERM", "No progress line and no colours when it is 'dumb'"),
        ])

    /// Runs a command line. Returns the exit status.
    static func run(_ words: [String]) -> Int32 {
        // Determined before parsing, so that a parsing error is reported in the form asked for.
        let options = words.prefix { $0 != "--" }
        if options.contains(ConsoleOptions.quietWord) { Console.isQuiet.store(true, ordering: .relaxed) }
        var console = Console(writesJSON: options.contains("--json"))
        do throws(Failure) {
            let status = try perform(words, &console)
            try console.flush()
            return status
        } catch {
            console.report(error)
            return error.exitStatus
        }
    }

    private static func parsed(_ words: [String]) throws(UsageError) -> Invocation {
        try program.parse(words) { () throws(UsageError) in
            try ConfigurationFile.read { (text, path) throws(UsageError) in
                try Configuration(text, path: path, home: ConfigurationFile.home, for: program)
            }
        }
    }

    private static func perform(_ words: [String], _ console: inout Console) throws(Failure) -> Int32 {
        let invocation: Invocation
        do throws(UsageError) { invocation = try parsed(words) } catch { throw .usage(error) }
        switch invocation {
        case .help(nil): try console.print(trimmed: program.help)
        case .help(let command?): try console.print(trimmed: program.help(for: command))
        case .run(let command, let arguments):
            guard let verb = verbs.lazy.compactMap({ $0.verb(of: command) }).first else { break }
            // Both may be set in the configuration file, too.
            if arguments.isSet(ShootOptions.json.declaration.name) { console.writesJSON = true }
            if arguments.isSet(ConsoleOptions.quiet.declaration.name) {
                Console.isQuiet.store(true, ordering: .relaxed)
            }
            return try verb.run(arguments, &console)
        }
        return 0
    }
}
