package dev.berth.plugin.jar;

import java.util.regex.Pattern;

/** Shows the SPI, JSpecify and the platform; nothing else of what Berth is made of. */
final class SpiOnly extends ClassLoader {
    private static final Pattern SHOWN =
            Pattern.compile("(dev\\.berth\\.provider|org\\.jspecify\\.annotations)\\.[^.]+");
    private static final ClassLoader BERTH = SpiOnly.class.getClassLoader();

    static {
        registerAsParallelCapable();
    }

    SpiOnly() {
        super("berth-spi", getPlatformClassLoader());
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        if (SHOWN.matcher(name).matches()) {
            return BERTH.loadClass(name);
        }
        throw new ClassNotFoundException(name);
    }
}
