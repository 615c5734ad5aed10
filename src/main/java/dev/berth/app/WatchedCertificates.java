package dev.berth.app;

import dev.berth.controller.Timer;
import dev.berth.controller.loadbalancerclass.Certificates;
import dev.berth.kube.Caches;
import dev.berth.kube.Classes;
import dev.berth.kube.TlsSecrets;
import dev.berth.loadbalancer.ClassCertificate;
import dev.berth.loadbalancer.ClassDeclaration;
import dev.berth.loadbalancer.ClassTls;
import dev.berth.loadbalancer.TlsSecret;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The certificates of classes with TLS, and the watches of the Secrets that they come from. */
final class WatchedCertificates implements AutoCloseable {
    private final Caches caches;
    private final Consumer<ClassDeclaration> changed;
    private final TlsSecrets secrets;
    private final Certificates certificates;

    /**
     * No Secret is watched yet.
     *
     * @param namespace of the Secrets
     * @param changed notified of the classes for which another certificate is used, or something else is to be said of it
     */
    WatchedCertificates(
            KubernetesClient client,
            String namespace,
            Caches caches,
            InstantSource clock,
            Timer later,
            Consumer<ClassDeclaration> changed) {
        this.caches = caches;
        this.changed = changed;
        secrets = new TlsSecrets(client, namespace, this::secretChanged);
        certificates = new Certificates(
                new Certificates.Source() {
                    @Override
                    public String fullName(String secret) {
                        return secrets.fullName(secret);
                    }

                    @Override
                    public TlsSecret read(String secret) {
                        return secrets.read(secret);
                    }
                },
                clock,
                later,
                this::secretChanged);
    }

    /** That of the Secret of this name, as it is now. The first time it may take a while. */
    ClassCertificate of(String secret) {
        return certificates.of(secret);
    }

    /** Forgets those that no class names any more. */
    void retainNamed() {
        List<String> named = declared()
                .flatMap(declaration -> Optional.ofNullable(declaration.tls()).stream())
                .map(ClassTls::secretName)
                .toList();
        secrets.retain(named);
        certificates.retain(named);
    }

    private void secretChanged(String secret) {
        declared()
                .filter(declaration -> declaration.tls() != null
                        && declaration.tls().secretName().equals(secret))
                .forEach(changed);
    }

    private Stream<ClassDeclaration> declared() {
        return Classes.declarations(caches.classes().list()).stream();
    }

    @Override
    public void close() {
        secrets.close();
    }
}
