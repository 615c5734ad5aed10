package dev.berth.dataplane.haproxy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.berth.provider.ProviderException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The addresses of load balancers on an interface of this host. */
final class HostAddresses {
    private final String networkInterface;

    /** @param networkInterface like lo */
    HostAddresses(String networkInterface) {
        this.networkInterface = networkInterface;
    }

    /**
     * Puts an address onto the interface, if it is not there.
     *
     * @throws ProviderException if another interface has it
     */
    void add(String address) {
        NetworkInterface has = holder(address);
        if (has == null) {
            ip("addr", "add", withPrefix(address), "dev", networkInterface, "nodad");
        } else if (!has.getName().equals(networkInterface)) {
            throw new ProviderException("address %s is already on interface %s of this host, which is not Berth's"
                    .formatted(address, has.getName()));
        }
    }

    /** Takes an address off the interface, if it is there. */
    void remove(String address) {
        NetworkInterface has = holder(address);
        if (has != null && has.getName().equals(networkInterface)) {
            ip("addr", "del", withPrefix(address), "dev", networkInterface);
        }
    }

    /** Whether this host has it on the interface. */
    boolean has(String address) {
        NetworkInterface has = holder(address);
        return has != null && has.getName().equals(networkInterface);
    }

    private static @Nullable NetworkInterface holder(String address) {
        try {
            return NetworkInterface.getByInetAddress(InetAddress.ofLiteral(address));
        } catch (SocketException failure) {
            throw new ProviderException("reading the addresses of this host: " + failure, null, failure);
        }
    }

    private static String withPrefix(String address) {
        return address + (address.indexOf(':') < 0 ? "/32" : "/128");
    }

    private static void ip(String... arguments) {
        List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(arguments));
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), UTF_8);
            if (process.waitFor() != 0) {
                throw new ProviderException(String.join(" ", command) + ": " + output.strip());
            }
        } catch (IOException failure) {
            throw new ProviderException(String.join(" ", command) + ": " + failure.getMessage(), null, failure);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new ProviderException("interrupted", null, stopping);
        }
    }
}
