package dev.berth.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

/** The configurations of routers that docs/bgp.md has, for a second router of the {@link Lab}. */
final class BgpPage {
    /** Of the second router. */
    static final String ROUTER_IPV4 = "10.77.0.253";

    static final String ROUTER_IPV6 = "fd77::fd";

    private BgpPage() {}

    /**
     * What the page has after a line, without what each line begins with.
     *
     * @param indent what each line begins with
     */
    static String after(String line, String indent) {
        try {
            String page = Files.readString(Path.of("docs/bgp.md"));
            return page.substring(page.indexOf(line))
                    .lines()
                    .skip(2)
                    .takeWhile(text -> text.startsWith(indent))
                    .map(text -> text.substring(indent.length()) + "\n")
                    .collect(Collectors.joining());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
