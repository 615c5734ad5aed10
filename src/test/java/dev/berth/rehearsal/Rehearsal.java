package dev.berth.rehearsal;

import dev.berth.api.v1alpha1.Berth;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.KeyStoreOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * Runs the operator with this JVM, by the arguments for {@code java}, until it has served a few hundred Services, and
 * ends it with SIGTERM. A JVM that records an AOT cache (-XX:AOTCacheOutput) sees by it which classes the operator needs.
 *
 * <p>Needs nothing but the operator's own libraries, so that it runs where the image is built.
 */
public final class Rehearsal {
    private static final int SERVICES = 200;
    private static final int PATIENCE_SECONDS = 300;
    private static final String STORE = "keys.p12";
    private static final String TYPE = "PKCS12";
    private static final String PASSWORD = "rehearsal";
    private static final String ALIAS = "rehearsal";

    private Rehearsal() {}

    public static void main(String... arguments) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("berth-rehearsal");
        try (RehearsalApi api = new RehearsalApi(new KeyStoreOptions()
                .setType(TYPE)
                .setPath(keys(folder).toString())
                .setPassword(PASSWORD))) {
            Process operator = start(folder, api.port(), arguments);
            try {
                rehearse(api, operator);
            } finally {
                operator.destroy();
                if (!operator.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                    operator.destroyForcibly();
                }
            }
        } finally {
            try (Stream<Path> files = Files.walk(folder)) {
                files.sorted(Comparator.reverseOrder())
                        .forEach(file -> file.toFile().delete());
            }
        }
    }

    private static void rehearse(RehearsalApi api, Process operator) throws InterruptedException {
        api.create("/api/v1/namespaces", object("v1", "Namespace", "default", new JsonObject()));
        api.create(
                "/apis/berth.dev/v1alpha1/addresspools",
                object(
                        "berth.dev/v1alpha1",
                        "AddressPool",
                        "pool",
                        new JsonObject().put("addresses", new JsonArray().add("198.18.0.0/15"))));
        api.create(
                "/apis/berth.dev/v1alpha1/loadbalancerclasses",
                object(
                        "berth.dev/v1alpha1",
                        "LoadBalancerClass",
                        "pool",
                        new JsonObject()
                                .put("loadBalancerClass", "berth.dev/pool")
                                .put("controllerName", Berth.CONTROLLER_NAME)
                                .put("provider", "pool")
                                .put("classless", "Auto")));
        api.create(
                "/apis/networking.k8s.io/v1/servicecidrs",
                object(
                        "networking.k8s.io/v1",
                        "ServiceCIDR",
                        "kubernetes",
                        new JsonObject().put("cidrs", new JsonArray().add("10.0.0.0/16"))));
        for (int i = 0; i < SERVICES; i++) {
            api.create("/api/v1/namespaces/default/services", service("web-" + i));
        }
        await("every Service has an address", operator, () -> api.count("/api/v1/services", "\"ip\":") == SERVICES);
        api.deleteServices();
        await("no Address is left", operator, () -> api.count("/apis/berth.dev/v1alpha1/addresses", "") == 0);
    }

    private static JsonObject service(String name) {
        JsonObject service = object(
                "v1",
                "Service",
                name,
                new JsonObject()
                        .put("type", "LoadBalancer")
                        .put("clusterIP", "10.0.0.1")
                        .put("clusterIPs", new JsonArray().add("10.0.0.1"))
                        .put("ipFamilies", new JsonArray().add("IPv4"))
                        .put("ipFamilyPolicy", "SingleStack")
                        .put("allocateLoadBalancerNodePorts", true)
                        .put("externalTrafficPolicy", "Cluster")
                        .put("sessionAffinity", "None")
                        .put("selector", new JsonObject().put("app", name))
                        .put(
                                "ports",
                                new JsonArray()
                                        .add(new JsonObject()
                                                .put("port", 80)
                                                .put("protocol", "TCP")
                                                .put("targetPort", 80)
                                                .put("nodePort", 30000))));
        service.getJsonObject("metadata").put("namespace", "default");
        return service.put("status", new JsonObject().put("loadBalancer", new JsonObject()));
    }

    private static JsonObject object(String apiVersion, String kind, String name, JsonObject spec) {
        return new JsonObject()
                .put("apiVersion", apiVersion)
                .put("kind", kind)
                .put("metadata", new JsonObject().put("name", name).put("generation", 1))
                .put("spec", spec);
    }

    private static void await(String what, Process operator, BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!condition.getAsBoolean()) {
            if (operator.waitFor(100, TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException("the operator ended with " + operator.exitValue() + " before: " + what);
            }
            if (System.nanoTime() > end) {
                throw new IllegalStateException("not within " + PATIENCE_SECONDS + " s: " + what);
            }
        }
    }

    /** As in a Pod: by the variables of a Service, a token and a certificate in files, and no kubeconfig. */
    private static Process start(Path folder, int port, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(ofThisJvm("java")));
        command.addAll(List.of(arguments));
        ProcessBuilder operator = new ProcessBuilder(command).inheritIO();
        operator.environment().keySet().removeIf(name -> name.startsWith("KUBERNETES_"));
        operator.environment()
                .putAll(Map.of(
                        "KUBERNETES_SERVICE_HOST",
                        "127.0.0.1",
                        "KUBERNETES_SERVICE_PORT",
                        Integer.toString(port),
                        "KUBERNETES_CERTS_CA_FILE",
                        certificate(folder).toString(),
                        "KUBERNETES_AUTH_SERVICEACCOUNT_TOKEN",
                        Files.writeString(folder.resolve("token"), "rehearsal").toString(),
                        "KUBERNETES_AUTH_TRYKUBECONFIG",
                        "false"));
        return operator.start();
    }

    private static String ofThisJvm(String program) {
        return Path.of(System.getProperty("java.home"), "bin", program).toString();
    }

    private static Path keys(Path folder) throws IOException, InterruptedException {
        Process keytool = new ProcessBuilder(
                        ofThisJvm("keytool"),
                        // It lives for a second.
                        "-J-XX:TieredStopAtLevel=1",
                        "-J-XX:+UseSerialGC",
                        "-genkeypair",
                        "-alias",
                        ALIAS,
                        "-keyalg",
                        "RSA",
                        "-dname",
                        "CN=rehearsal",
                        "-ext",
                        "bc=ca:true",
                        "-ext",
                        "san=ip:127.0.0.1",
                        "-storetype",
                        TYPE,
                        "-storepass",
                        PASSWORD,
                        "-keystore",
                        folder.resolve(STORE).toString())
                .inheritIO()
                .start();
        if (keytool.waitFor() != 0) {
            throw new IllegalStateException("keytool ended with " + keytool.exitValue());
        }
        return folder.resolve(STORE);
    }

    private static Path certificate(Path folder) throws IOException {
        try {
            KeyStore store = KeyStore.getInstance(folder.resolve(STORE).toFile(), PASSWORD.toCharArray());
            byte[] certificate =
                    Objects.requireNonNull(store.getCertificate(ALIAS)).getEncoded();
            return Files.writeString(
                    folder.resolve("ca.crt"),
                    "-----BEGIN CERTIFICATE-----\n%s\n-----END CERTIFICATE-----\n"
                            .formatted(
                                    Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(certificate)));
        } catch (GeneralSecurityException failure) {
            throw new IllegalStateException("reading " + STORE, failure);
        }
    }
}
