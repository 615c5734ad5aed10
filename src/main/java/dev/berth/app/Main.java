package dev.berth.app;

import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.annotations.QuarkusMain;

@QuarkusMain
public final class Main {
    private Main() {}

    public static void main(String... args) {
        Quarkus.run(args);
    }
}
