package dev.berth.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads many objects, each on its own: one that cannot be read keeps no other from being read. */
final class OneByOne {
    private static final Logger LOG = LoggerFactory.getLogger(OneByOne.class);

    private OneByOne() {}

    /** What each of them says; one that cannot be read is left out, and the log says why. */
    static <O extends HasMetadata, T> List<T> read(Stream<O> objects, Function<O, Stream<T>> reading) {
        return objects.flatMap(object -> {
                    try {
                        return reading.apply(object).toList().stream();
                    } catch (RuntimeException unreadable) {
                        LOG.warn(
                                "{} {} cannot be read, and is left as it is: {}",
                                object.getKind(),
                                nameOf(object),
                                unreadable.toString());
                        return Stream.empty();
                    }
                })
                .toList();
    }

    private static String nameOf(HasMetadata object) {
        String namespace = object.getMetadata().getNamespace();
        String name = object.getMetadata().getName();
        return namespace == null ? name : namespace + "/" + name;
    }
}
