package dev.berth.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads many objects, each on its own: one that cannot be read keeps no other from being read. */
final class LenientReader {
    private static final Logger LOG = LoggerFactory.getLogger(LenientReader.class);

    private static final int REMEMBERED = 1_000;

    /** By kind and name, the version of which the log has it already: the same objects are read again and again. */
    private static final Map<String, String> TOLD = Collections.synchronizedMap(new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
            return size() > REMEMBERED;
        }
    });

    private LenientReader() {}

    /** What each of them says; one that cannot be read is left out, and the log says why. */
    static <O extends HasMetadata, T> List<T> read(Stream<O> objects, Function<O, Stream<T>> reading) {
        return read(objects, reading, unreadable -> {});
    }

    /** The same, with those that are left out. */
    static <O extends HasMetadata, T> List<T> read(
            Stream<O> objects, Function<O, Stream<T>> reading, Consumer<O> leftOut) {
        return objects.flatMap(object -> {
                    try {
                        return reading.apply(object).toList().stream();
                    } catch (RuntimeException unreadable) {
                        tell(object, unreadable);
                        leftOut.accept(object);
                        return Stream.empty();
                    }
                })
                .toList();
    }

    private static void tell(HasMetadata object, RuntimeException unreadable) {
        String name = object.getKind() + " " + nameOf(object);
        String version = NullSafe.text(object.getMetadata().getResourceVersion());
        if (!version.equals(TOLD.put(name, version))) {
            LOG.warn("{} cannot be read, and is left as it is: {}", name, unreadable.toString());
        }
    }

    private static String nameOf(HasMetadata object) {
        String namespace = object.getMetadata().getNamespace();
        String name = object.getMetadata().getName();
        return namespace == null ? name : namespace + "/" + name;
    }
}
