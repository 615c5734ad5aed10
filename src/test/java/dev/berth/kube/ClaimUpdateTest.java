package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.berth.api.v1alpha1.Address;
import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Owner;
import dev.berth.claim.SampleClaims;
import dev.berth.claim.ServiceKey;
import dev.berth.kube.AnsweringServer.Answer;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a change of an Address writes. */
class ClaimUpdateTest {
    private static final Owner WEB = new Owner(new ServiceKey("prod", "web"), "u1");
    private static final String BEGIN = """
            {"apiVersion": "berth.dev/v1alpha1", "kind": "Address",
             "metadata": {"name": "192.0.2.1", "uid": "a1", "resourceVersion": "5"},
             "spec": {"address": "192.0.2.1", "pool": "edge", "class": "berth.dev/pool", "ofALaterBerth": {"a": 1},
            """;
    private static final String PLAIN =
            BEGIN + "\"claims\": [{\"namespace\": \"prod\", \"name\": \"web\", \"uid\": \"u1\"}]}}";

    private final List<String> patches = new CopyOnWriteArrayList<>();
    private final Caches caches = new Caches();
    private AnsweringServer server;
    private FabricCluster cluster;

    @BeforeEach
    void start() {
        server = new AnsweringServer("/", request -> {
            patches.add(new String(request.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            return new Answer(200, PLAIN);
        });
        cluster = new FabricCluster(server.client(), caches, new ApiBudget());
    }

    @AfterEach
    void stop() {
        server.close();
    }

    /** It is in the cache. */
    private Claim claim(String json) {
        Address address = new KubernetesSerialization().unmarshal(json, Address.class);
        caches.addresses(new OneObject<>(() -> Optional.of(address)));
        return Claims.of(address).orElseThrow();
    }

    @Test
    void change_writesWhatChanges_andLeavesWhatALaterBerthWrote() throws IOException {
        Claim seen = claim(PLAIN);

        assertThat(cluster.updateClaim(seen, seen.spec().leftBy(WEB, Instant.parse("2026-01-01T00:00:00Z"))))
                .isInstanceOf(Write.Done.class);
        cluster.updateClaim(seen, SampleClaims.retained(seen.spec()));

        ObjectMapper json = new ObjectMapper();
        assertThat(json.readTree(patches.getFirst())).isEqualTo(json.readTree("""
                        {"metadata": {"resourceVersion": "5"},
                         "spec": {"claims": [
                                    {"kind": "Service", "namespace": "prod", "name": "web",
                                     "releasedAt": "2026-01-01T00:00:00Z"}],
                                  "releasedAt": "2026-01-01T00:00:00Z"}}
                        """));
        assertThat(json.readTree(patches.getLast())).isEqualTo(json.readTree("""
                        {"metadata": {"resourceVersion": "5"}, "spec": {"retain": true}}
                        """));
    }

    @Test
    void changeOfPool_movesItsLabel_andLeavesThoseOfPeople() throws IOException {
        Claim seen = claim(PLAIN);

        cluster.updateClaim(seen, ClaimSpec.of("other", "berth.dev/pool", WEB));

        ObjectMapper json = new ObjectMapper();
        assertThat(json.readTree(patches.getFirst())).isEqualTo(json.readTree("""
                        {"metadata": {"resourceVersion": "5", "labels": {"berth.dev/pool": "other"}},
                         "spec": {"pool": "other"}}
                        """));
    }

    @Test
    void timeThatAServiceWent_isRead_andStaysWithItsReservation() throws IOException {
        Claim seen = claim(BEGIN
                + "\"claims\": [{\"namespace\": \"prod\", \"name\": \"gone\", \"releasedAt\": \"2026-01-01T00:00:00Z\"},"
                + " {\"namespace\": \"prod\", \"name\": \"by-hand\"}]}}");

        assertThat(seen.spec().departures())
                .containsExactly(
                        new ClaimSpec.Departure(new ServiceKey("prod", "gone"), Instant.parse("2026-01-01T00:00:00Z")));
        cluster.updateClaim(seen, SampleClaims.retained(seen.spec()));
        assertThat(new ObjectMapper()
                        .readTree(patches.getFirst())
                        .at("/spec/claims")
                        .isMissingNode())
                .isTrue();
    }

    @Test
    void whatIsNotSoAnyMore_isRemoved() throws IOException {
        Claim seen = claim(BEGIN + "\"retain\": true, \"claims\": []}}");

        cluster.updateClaim(seen, SampleClaims.notRetained(seen.spec()));

        ObjectMapper json = new ObjectMapper();
        assertThat(json.readTree(patches.getFirst())).isEqualTo(json.readTree("""
                        {"metadata": {"resourceVersion": "5"}, "spec": {"retain": null}}
                        """));
    }

    @Test
    void keepingThatAServiceAskedFor_isWrittenBesideItsClaim_readAgain_andUndone() throws IOException {
        String web = "{\"namespace\": \"prod\", \"name\": \"web\", \"uid\": \"u1\"";
        Claim plain = claim(BEGIN + "\"claims\": [" + web + "}]}}");
        Claim kept = claim(BEGIN + "\"retain\": true, \"claims\": [" + web + ", \"retain\": true}]}}");
        ServiceKey service = new ServiceKey("prod", "web");

        assertThat(plain.spec().retainedFor(service, true)).isEqualTo(kept.spec());
        cluster.updateClaim(plain, kept.spec());
        cluster.updateClaim(kept, kept.spec().retainedFor(service, null));

        ObjectMapper json = new ObjectMapper();
        assertThat(json.readTree(patches.getFirst())).isEqualTo(json.readTree("""
                        {"metadata": {"resourceVersion": "5"}, "spec": {"retain": true, "claims": [
                         {"kind": "Service", "namespace": "prod", "name": "web", "uid": "u1", "retain": true}]}}
                        """));
        assertThat(json.readTree(patches.getLast())).isEqualTo(json.readTree("""
                        {"metadata": {"resourceVersion": "5"}, "spec": {"retain": null, "claims": [
                         {"kind": "Service", "namespace": "prod", "name": "web", "uid": "u1"}]}}
                        """));
    }

    @Test
    void claimsThatCannotBeReadWhole_areNotReplacedByWhatCouldBe() {
        Claim seen = claim(BEGIN + "\"claims\": [{\"namespace\": \"prod\", \"name\": \"web\", \"uid\": \"u1\"},"
                + " {\"namespace\": \"prod\", \"uid\": \"u2\"}]}}");

        assertThat(cluster.updateClaim(seen, seen.spec().leftBy(WEB, Instant.EPOCH)))
                .isInstanceOfSatisfying(
                        Write.Refused.class,
                        refused -> assertThat(refused.message())
                                .startsWith("Address 192.0.2.1: a claim of spec.claims has no namespace or no name"));
        assertThat(patches).isEmpty();
    }
}
