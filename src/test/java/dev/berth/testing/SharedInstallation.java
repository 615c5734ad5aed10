package dev.berth.testing;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Lends test classes an {@link Installation}: a dual-stack control plane with an audit log, and Berth's manifests.
 * Every class of this JVM gets the same one, one class after another.
 *
 * <p>A parameter of {@code @BeforeAll} borrows it for the class, one of {@code @BeforeEach} or of a test for that test.
 * Afterwards the cluster is put back into the state after the installation: what tests created is deleted, and
 * operators with their own flags are stopped. A cluster that cannot be put back, because somebody changed or deleted a
 * part of the
 * installation, is replaced for the next class.
 *
 * <p>Audit events and Kubernetes' events of earlier classes are gone; the log and the metrics of {@link
 * Installation#operator()} are not.
 */
public final class SharedInstallation implements ParameterResolver {
    private static final Logger LOG = Logger.getLogger(SharedInstallation.class.getName());
    private static final Namespace NAMESPACE = Namespace.create(SharedInstallation.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Installation.class;
    }

    @Override
    public Installation resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Shelf shelf = context.getStore(StoreScope.LAUNCHER_SESSION, NAMESPACE)
                .computeIfAbsent(Shelf.class, key -> new Shelf(), Shelf.class);
        return context.getStore(NAMESPACE).computeIfAbsent(Loan.class, key -> new Loan(shelf), Loan.class).installation;
    }

    /** Where the installation is while nobody has it; closed with the test run of this JVM. */
    private static final class Shelf implements AutoCloseable {
        private @Nullable Installation installation;

        Installation take() {
            Installation taken = installation == null ? install() : installation;
            installation = null;
            return taken;
        }

        private static Installation install() {
            return new Installation(ControlPlane.builder().withAuditLog().start()).noted();
        }

        void giveBack(Installation used) {
            try {
                used.reset();
                installation = used;
            } catch (IllegalStateException | KubernetesClientException failure) {
                LOG.info(() -> "a new cluster for the next class: " + failure.getMessage());
                discard(used);
            }
        }

        private static void discard(Installation used) {
            used.close();
            used.controlPlane().close();
        }

        @Override
        public void close() {
            if (installation != null) {
                discard(installation);
            }
        }
    }

    /** For as long as the class or the test runs in whose store this is. */
    private static final class Loan implements AutoCloseable {
        private final Shelf shelf;
        private final Installation installation;

        Loan(Shelf shelf) {
            this.shelf = shelf;
            this.installation = shelf.take();
        }

        @Override
        public void close() {
            shelf.giveBack(installation);
        }
    }
}
