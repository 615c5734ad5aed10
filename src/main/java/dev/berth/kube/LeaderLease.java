package dev.berth.kube;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Lease of the replica that leads, beside what the client's own election does with it: the fencing token, and the
 * end.
 */
public final class LeaderLease {
    /** The highest token that any leader had. Anyone who writes a number here has the next leader begin above it. */
    static final String TOKEN = "berth.dev/fencing-token";

    private static final Logger LOG = LoggerFactory.getLogger(LeaderLease.class);

    /** The lease changes each time that it is renewed, which is every 2 s. */
    private static final int TRIES = 5;

    private final KubernetesClient client;
    private final String namespace;
    private final String name;
    private final String controllerName;
    private final String identity;
    private final Clock clock;

    /**
     * @param controllerName is written into the Lease by who leads, for {@link OtherInstallations}
     * @param identity the holder's, if this replica leads
     */
    public LeaderLease(
            KubernetesClient client,
            String namespace,
            String name,
            String controllerName,
            String identity,
            Clock clock) {
        this.client = client;
        this.namespace = namespace;
        this.name = name;
        this.controllerName = controllerName;
        this.identity = identity;
        this.clock = clock;
    }

    /**
     * The token of a leader that begins now. Milliseconds since 1970, so that it is higher than all before it also where
     * nothing remembers those: the Lease was deleted, Berth was reinstalled, or there is no election. A clock that is
     * behind the one of the leader before does not lower it.
     *
     * @param before what {@link #TOKEN} has; null: nothing
     */
    static long token(Instant now, @Nullable String before) {
        long atLeast = 0;
        try {
            atLeast = before == null ? 0 : Math.addExact(Long.parseLong(before), 1);
        } catch (NumberFormatException | ArithmeticException unusable) {
            LOG.warn("annotation {} is \"{}\": not a number that another can follow; passed over", TOKEN, before);
        }
        return Math.max(now.toEpochMilli(), atLeast);
    }

    /**
     * Takes a token that is higher than those of all leaders before, and writes it into the Lease.
     *
     * @throws IllegalStateException if this replica does not hold the Lease
     * @throws KubernetesClientException if the API server does not answer, or does not let it be written
     */
    public long takeToken() {
        return take(this::held);
    }

    /**
     * The same for one who leads without an election: what a Lease remembers counts, whoever holds it. Where there is
     * none, or where it may not be read, the token is the time alone.
     *
     * @throws KubernetesClientException if the API server does not answer
     */
    public long takeTokenWithoutElection() {
        Lease readable = null;
        try {
            readable = lease();
            return take(this::lease);
        } catch (KubernetesClientException failure) {
            if (failure.getCode() != HttpURLConnection.HTTP_FORBIDDEN) {
                throw failure;
            }
            LOG.warn(
                    "Lease {}/{} may not be {}, so it does not remember the fencing token: {}",
                    namespace,
                    name,
                    readable == null ? "read" : "patched",
                    failure.getMessage());
            return token(clock.instant(), annotation(readable));
        }
    }

    /** Without a Lease, the time alone. */
    private long take(Supplier<@Nullable Lease> read) {
        for (int tries = 1; ; tries++) {
            Lease lease = read.get();
            long token = token(clock.instant(), annotation(lease));
            if (lease == null) {
                return token;
            }
            try {
                patch(Map.of(
                        "metadata",
                        Map.of(
                                "resourceVersion",
                                lease.getMetadata().getResourceVersion(),
                                "labels",
                                OtherInstallations.LABELS,
                                "annotations",
                                Map.of(
                                        TOKEN,
                                        Long.toString(token),
                                        OtherInstallations.CONTROLLER_NAME,
                                        controllerName))));
                return token;
            } catch (KubernetesClientException failure) {
                if (failure.getCode() != HttpURLConnection.HTTP_CONFLICT || tries == TRIES) {
                    throw failure;
                }
            }
        }
    }

    /**
     * Looks whether this replica holds the Lease still.
     *
     * @throws IllegalStateException if it does not
     * @throws KubernetesClientException if the API server does not answer
     */
    public void requireHeld() {
        held();
    }

    /** Lets another lead at once. Call it when nothing is written any more; it is no matter if it fails. */
    public void handOver() {
        try {
            Lease lease = held();
            patch(Map.of(
                    "metadata",
                    Map.of("resourceVersion", lease.getMetadata().getResourceVersion()),
                    "spec",
                    Collections.singletonMap("holderIdentity", null)));
            LOG.info("Lease {}/{} is handed over", namespace, name);
        } catch (IllegalStateException another) {
            LOG.debug("nothing to hand over: {}", another.getMessage());
        } catch (KubernetesClientException failure) {
            LOG.warn("Lease {}/{} is not handed over, and expires: {}", namespace, name, failure.getMessage());
        }
    }

    private @Nullable Lease lease() {
        return client.leases().inNamespace(namespace).withName(name).get();
    }

    private Lease held() {
        Lease lease = lease();
        String holder = lease == null || lease.getSpec() == null
                ? null
                : lease.getSpec().getHolderIdentity();
        if (lease == null || !identity.equals(holder)) {
            throw new IllegalStateException("Lease " + namespace + "/" + name + " is "
                    + (lease == null ? "gone" : "held by " + Objects.requireNonNullElse(holder, "nobody"))
                    + ", not by this replica, " + identity);
        }
        return lease;
    }

    private static @Nullable String annotation(@Nullable Lease lease) {
        return Optional.ofNullable(lease)
                .map(found -> found.getMetadata().getAnnotations())
                .map(annotations -> annotations.get(TOKEN))
                .orElse(null);
    }

    private void patch(Map<String, Object> change) {
        client.leases()
                .inNamespace(namespace)
                .withName(name)
                .patch(
                        PatchContext.of(PatchType.JSON_MERGE),
                        client.getKubernetesSerialization().asJson(change));
    }
}
