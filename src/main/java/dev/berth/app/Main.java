package dev.berth.app;

import dev.berth.cli.AddressCommand;
import dev.berth.cli.AuditCommand;
import dev.berth.cli.ExportCommand;
import dev.berth.cli.StatusCommand;
import dev.berth.cli.Version;
import io.quarkus.runtime.annotations.QuarkusMain;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.ParameterException;

/** The entry point: {@code berth operator [flags]}, and what people call by hand. */
@QuarkusMain
@Command(
        name = "berth",
        description = "Gives every LoadBalancer Service its address.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        subcommands = {
            OperatorCommand.class,
            AgentCommand.class,
            AddressCommand.class,
            AuditCommand.class,
            ExportCommand.class,
            ProviderHostCommand.class,
            StatusCommand.class,
            HelpCommand.class
        })
public final class Main implements Runnable {
    @CommandLine.Spec
    private CommandLine.Model.@org.jspecify.annotations.Nullable CommandSpec spec;

    /** Ends the process with 0, with 1 if the operator cannot work, or with 2 if its arguments are invalid. */
    public static void main(String... args) {
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Main())
                .setParameterExceptionHandler(Main::usageError)
                .setCaseInsensitiveEnumValuesAllowed(true);
    }

    /** One line, not the whole help. */
    private static int usageError(ParameterException wrong, String[] args) {
        CommandLine command = wrong.getCommandLine();
        command.getErr()
                .println("berth: " + wrong.getMessage() + " (see "
                        + command.getCommandSpec().qualifiedName() + " --help)");
        return CommandLine.ExitCode.USAGE;
    }

    @Override
    public void run() {
        if (spec != null) {
            throw new ParameterException(spec.commandLine(), "a command is missing");
        }
    }
}
