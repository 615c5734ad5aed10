package dev.berth.cli;

import dev.berth.ip.Ip;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code berth address}: what the Address object of an IP address is called. It needs no cluster. */
@Command(
        name = "address",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = "Prints the name of the Address object of an IP address, in whatever way the address is written:"
                + " kubectl get address \"$(berth address 2001:DB8::1)\"")
public final class AddressCommand implements Callable<Integer> {
    @Parameters(paramLabel = "IP", description = "an IPv4 or IPv6 address")
    private @Nullable String ip;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() {
        CommandSpec command = Optional.ofNullable(spec).orElseThrow();
        try {
            command.commandLine().getOut().println(Ip.parse(String.valueOf(ip)).objectName());
            return 0;
        } catch (IllegalArgumentException notAnAddress) {
            throw new ParameterException(
                    command.commandLine(), String.valueOf(notAnAddress.getMessage()), notAnAddress);
        }
    }
}
