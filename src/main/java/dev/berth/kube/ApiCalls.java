package dev.berth.kube;

import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.StatusCause;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Calls of an API server, with what it may answer as {@link Read} and {@link Write}. */
final class ApiCalls {
    private static final int UNPROCESSABLE = 422;
    private static final int TOO_MANY_REQUESTS = 429;

    private final KubernetesClient client;
    private final ApiBudget budget;
    private final String cure;

    ApiCalls(KubernetesClient client, ApiBudget budget) {
        this(client, budget, "");
    }

    /**
     * Calls that need more than the operator may do by default.
     *
     * @param cure what gives the permission for them, such as {@code add the component cluster-addresses}; empty: nobody
     *     can say. The answer to a write that RBAC forbids ends with it
     */
    ApiCalls(KubernetesClient client, ApiBudget budget, String cure) {
        this.client = client;
        this.budget = budget;
        this.cure = cure;
    }

    /** Reads live, one of few calls at a time. */
    <O, T> Read<T> read(Supplier<@Nullable O> get, Function<O, Optional<T>> translate) {
        O object;
        try {
            object = budget.<@Nullable O>call(get);
        } catch (KubernetesClientException failure) {
            return new Read.Failed<>(message(failure));
        }
        try {
            return object == null
                    ? new Read.Absent<>()
                    : translate.apply(object).<Read<T>>map(Read.Found::new).orElseGet(Read.Absent::new);
        } catch (RuntimeException unreadable) {
            // It is there: Absent would have what is its own taken from it.
            return new Read.Failed<>("cannot be read: " + unreadable.getMessage());
        }
    }

    /** Changes or deletes an object, one of few calls at a time. */
    <O, T> Write<T> write(Supplier<O> call, Function<O, T> translate) {
        return write(call, translate, ApiCalls::isAnother);
    }

    /** Creates an object, one of few calls at a time. A Conflict means that there is one of this name. */
    <O, T> Write<T> create(Supplier<O> call, Function<O, T> translate) {
        return write(call, translate, ApiCalls::exists);
    }

    private <O, T> Write<T> write(
            Supplier<O> call, Function<O, T> translate, Predicate<KubernetesClientException> isConflict) {
        O answer;
        try {
            answer = budget.call(call);
        } catch (KubernetesClientException failure) {
            String message = message(failure);

            if (isConflict.test(failure)) {
                return new Write.Conflict<>(message);
            }
            return switch (failure.getCode()) {
                case HttpURLConnection.HTTP_NOT_FOUND -> new Write.NotFound<>(message);
                case HttpURLConnection.HTTP_FORBIDDEN -> new Write.Refused<>(withCure(message));
                case HttpURLConnection.HTTP_BAD_REQUEST,
                        HttpURLConnection.HTTP_UNAUTHORIZED,
                        HttpURLConnection.HTTP_BAD_METHOD,
                        UNPROCESSABLE,
                        TOO_MANY_REQUESTS -> new Write.Refused<>(message);
                default -> new Write.Unknown<>(message);
            };
        }
        try {
            return new Write.Done<>(translate.apply(answer));
        } catch (RuntimeException unreadable) {
            return new Write.Unknown<>("the answer cannot be read: " + unreadable.getMessage());
        }
    }

    /** A precondition is answered with 409, but a patch for another uid with 422: metadata.uid is immutable. */
    private static boolean isAnother(KubernetesClientException failure) {
        return failure.getCode() == HttpURLConnection.HTTP_CONFLICT
                || (failure.getCode() == UNPROCESSABLE
                        && causes(failure).anyMatch(cause -> "metadata.uid".equals(cause.getField())));
    }

    /** A quota that another writer changed is answered with 409, too, and so is what a webhook likes to. */
    private static boolean exists(KubernetesClientException failure) {
        return failure.getCode() == HttpURLConnection.HTTP_CONFLICT
                && failure.getStatus() != null
                && "AlreadyExists".equals(failure.getStatus().getReason());
    }

    private static Stream<StatusCause> causes(KubernetesClientException failure) {
        return Stream.ofNullable(failure.getStatus())
                .flatMap(status -> Stream.ofNullable(status.getDetails()))
                .flatMap(details -> details.getCauses().stream());
    }

    /**
     * Deletes an object of a cluster-scoped kind, if it is still this one. The client's own delete has no
     * precondition.
     *
     * @param object of which the kind and the name count
     * @param resourceVersion null: any version of it
     * @param seen what the answer is to have
     */
    <T> Write<T> delete(HasMetadata object, String uid, @Nullable String resourceVersion, T seen) {
        String body = client.getKubernetesSerialization()
                .asJson(new DeleteOptionsBuilder()
                        .withApiVersion("v1")
                        .withKind("DeleteOptions")
                        .withNewPreconditions()
                        .withUid(uid)
                        .withResourceVersion(resourceVersion)
                        .endPreconditions()
                        .build());
        String path = "/apis/" + object.getApiVersion() + "/" + object.getPlural() + "/"
                + object.getMetadata().getName();
        return write(
                () -> {
                    client.raw(path, "DELETE", body);
                    return seen;
                },
                Function.identity());
    }

    /** An admission policy that forbids it needs another cure than RBAC, which says who cannot do what. */
    private String withCure(String message) {
        boolean byRbac = message.contains(" cannot ") && message.contains(" resource \"");
        return byRbac && !cure.isEmpty() ? message + "; " + cure : message;
    }

    private static String message(KubernetesClientException failure) {
        if (failure.getStatus() != null && failure.getStatus().getMessage() != null) {
            return failure.getStatus().getMessage();
        }
        Throwable cause = failure.getCause();
        return cause == null || cause.getMessage() == null
                ? String.valueOf(failure.getMessage())
                : failure.getMessage() + ": " + cause.getMessage();
    }
}
