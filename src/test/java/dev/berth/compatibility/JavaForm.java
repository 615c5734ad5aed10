package dev.berth.compatibility;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What classes compiled against a package may use of it: a line for each type and each member that is public or protected,
 * by its erasure, as the virtual machine links it.
 */
final class JavaForm {
    private static final String ABSTRACT = " abstract ";
    private static final List<String> OF_EVERY_OBJECT = List.of("equals", "hashCode", "toString");

    private JavaForm() {}

    /** Of all classes in one folder, such as {@code target/classes/dev/berth/provider}. */
    static List<String> of(String packageName, Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return of(files.map(file -> file.getFileName().toString())
                    .filter(file -> file.endsWith(".class") && !file.startsWith("package-info"))
                    .map(file -> named(packageName + "." + file.substring(0, file.length() - ".class".length())))
                    .toArray(Class<?>[]::new));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    static List<String> of(Class<?>... types) {
        return Stream.of(types)
                .filter(JavaForm::isVisible)
                .flatMap(JavaForm::lines)
                .sorted()
                .toList();
    }

    /** What a change would break; empty: nothing that was compiled against {@code released}. */
    static List<String> broken(List<String> released, List<String> now) {
        List<String> broken = new ArrayList<>();
        released.stream().filter(line -> !now.contains(line)).forEach(line -> broken.add("is gone: " + line));
        now.stream()
                .filter(line -> line.contains(ABSTRACT) && !released.contains(line))
                .filter(line -> released.stream().anyMatch(other -> type(other).equals(type(line))))
                .forEach(line -> broken.add("is not implemented by what exists; give it a default: " + line));
        return broken;
    }

    private static String type(String line) {
        return line.substring(0, line.indexOf(' '));
    }

    private static Class<?> named(String name) {
        try {
            return Class.forName(name, false, JavaForm.class.getClassLoader());
        } catch (ClassNotFoundException gone) {
            throw new IllegalStateException(gone);
        }
    }

    private static boolean isVisible(Class<?> type) {
        return isVisible(type.getModifiers())
                && (type.getEnclosingClass() == null || isVisible(type.getEnclosingClass()))
                && !type.isAnonymousClass();
    }

    private static boolean isVisible(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    private static Stream<String> lines(Class<?> type) {
        Stream<String> members = Stream.of(
                        Stream.of(type.getDeclaredFields())
                                .filter(JavaForm::isUsable)
                                .map(Field::toString),
                        Stream.of(type.getDeclaredConstructors())
                                .filter(JavaForm::isUsable)
                                .map(Constructor::toString),
                        Stream.of(type.getDeclaredMethods())
                                .filter(JavaForm::isUsable)
                                .map(Method::toString))
                .flatMap(lines -> lines);
        String ownPackage = type.getPackageName() + ".";
        return Stream.concat(Stream.of(head(type)), members.map(member -> type.getName() + " has " + member))
                .map(line -> line.replace(ownPackage, "").replace("java.lang.", ""));
    }

    private static boolean isUsable(Member member) {
        return isVisible(member.getModifiers()) && !member.isSynthetic() && !OF_EVERY_OBJECT.contains(member.getName());
    }

    /** What a class may do with the type: make one, extend it, take it for another. Whether it is sealed only javac asks. */
    private static String head(Class<?> type) {
        String supertypes = Stream.concat(Stream.ofNullable(type.getSuperclass()), Stream.of(type.getInterfaces()))
                .map(Class::getName)
                .collect(Collectors.joining(", "));
        String kind = type.isInterface() ? "interface" : Modifier.toString(type.getModifiers()) + " class";
        return type.getName() + " is " + kind + (supertypes.isEmpty() ? "" : " of " + supertypes);
    }
}
