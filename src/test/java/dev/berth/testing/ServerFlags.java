package dev.berth.testing;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/** Flags of a server, of which a later one replaces an earlier one of the same name. */
final class ServerFlags {
    private final SequencedMap<String, String> values;

    private ServerFlags(SequencedMap<String, String> values) {
        this.values = values;
    }

    static ServerFlags none() {
        return new ServerFlags(new LinkedHashMap<>());
    }

    /**
     * These flags and {@code flags}.
     *
     * @throws IllegalArgumentException if one is not like {@code --name=value}: Kubernetes' boolean flags need their
     *     value too
     */
    ServerFlags with(List<String> flags) {
        SequencedMap<String, String> all = new LinkedHashMap<>(values);
        for (String flag : flags) {
            int equals = flag.indexOf('=');
            if (!flag.startsWith("--") || equals < 0) {
                throw new IllegalArgumentException("flag \"" + flag + "\": write it as --name=value");
            }
            all.put(flag.substring(0, equals), flag.substring(equals + 1));
        }
        return new ServerFlags(all);
    }

    ServerFlags with(ServerFlags later) {
        return with(later.toList());
    }

    List<String> toList() {
        return values.entrySet().stream().map(ServerFlags::format).toList();
    }

    private static String format(Map.Entry<String, String> flag) {
        return flag.getKey() + "=" + flag.getValue();
    }
}
