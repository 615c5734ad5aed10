package dev.berth.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A class that leaves an address on {@code lo} fails, and not one of those that come after it in its JVM, and take the
 * address for the host's own.
 */
public final class LoopbackStaysClean implements BeforeAllCallback, AfterAllCallback {
    @Override
    public void beforeAll(ExtensionContext context) throws SocketException {
        assertThat(addresses()).as("left by an earlier class").allMatch(LoopbackStaysClean::isOfTheKernel);
    }

    @Override
    public void afterAll(ExtensionContext context) throws SocketException {
        assertThat(addresses()).as("left by " + context.getDisplayName()).allMatch(LoopbackStaysClean::isOfTheKernel);
    }

    private static List<String> addresses() throws SocketException {
        return NetworkInterface.getByName("lo").getInterfaceAddresses().stream()
                .map(InterfaceAddress::getAddress)
                .map(address -> address.getHostAddress().replaceFirst("%.*", ""))
                .toList();
    }

    private static boolean isOfTheKernel(String address) {
        return address.startsWith("127.") || address.equals("0:0:0:0:0:0:0:1");
    }
}
