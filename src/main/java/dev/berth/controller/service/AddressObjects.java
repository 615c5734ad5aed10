package dev.berth.controller.service;

import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Holding;
import dev.berth.claim.Owner;
import dev.berth.ip.Ip;
import dev.berth.kube.Read;
import dev.berth.kube.Write;
import dev.berth.loadbalancer.Attempt;
import dev.berth.loadbalancer.Outcome;
import dev.berth.loadbalancer.Outcome.ClaimTried.Whose;
import dev.berth.reason.Reason;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes Address objects for one pass over a Service; what comes of it is noted in the ledger. What fails is
 * not tried again before its time: {@code attempt} tells what that is.
 */
final class AddressObjects {
    private final ReconcileContext pass;

    AddressObjects(ReconcileContext pass) {
        this.pass = pass;
    }

    /**
     * What became of an Address object.
     *
     * @param outcomes what went wrong; empty: nothing
     */
    record Created(Whose whose, List<Outcome> outcomes) {
        Created(Whose whose) {
            this(whose, List.of());
        }

        Created(Whose whose, Outcome trouble) {
            this(whose, List.of(trouble));
        }
    }

    /** Creates the Address object of an address that the ledger holds for the Service. */
    Created create(Ip ip, ClaimSpec spec, Owner owner, Attempt attempt) {
        String doing = "claiming " + ip;
        return switch (pass.parts().cluster().createClaim(ip, spec)) {
            case Write.Done<Claim>(Claim claim) -> {
                boolean isThere = wrote(claim);
                pass.addresses().made(claim);
                if (isThere) {
                    yield new Created(whose(ip, owner));
                }
                pass.parts().ledger().doubt(ip);
                yield new Created(
                        Whose.UNSURE,
                        ReconcileContext.failed(
                                doing, Reason.ClaimUncertain, "it was deleted while it was being claimed", attempt));
            }
            case Write.Conflict<Claim> exists -> whose(ip, spec, owner, attempt);
            case Write.NotFound<Claim>(String message) ->
                new Created(
                        Whose.NOT_MADE,
                        ReconcileContext.failed(
                                doing,
                                Reason.ClaimFailed,
                                message + "; check that the CustomResourceDefinition addresses.berth.dev is installed",
                                attempt));
            case Write.Refused<Claim>(String message) ->
                new Created(Whose.NOT_MADE, ReconcileContext.failed(doing, Reason.ClaimFailed, message, attempt));
            case Write.Unknown<Claim>(String message) -> {
                pass.parts().ledger().doubt(ip);
                yield new Created(
                        Whose.UNSURE, ReconcileContext.failed(doing, Reason.ClaimUncertain, message, attempt));
            }
        };
    }

    /** By what the ledger made of an answer: what was heard while that was on its way is newer. */
    private Whose whose(Ip ip, Owner owner) {
        return claimed(ip).filter(held -> held.owners().contains(owner)).isPresent() ? Whose.OURS : Whose.ANOTHERS;
    }

    private Optional<Holding> claimed(Ip ip) {
        return pass.parts().ledger().holding(ip).filter(holding -> holding.state() == Holding.State.CLAIMED);
    }

    /** There is an Address object already: a 409 alone does not tell whose. */
    private Created whose(Ip ip, ClaimSpec wanted, Owner owner, Attempt attempt) {
        return switch (readDeleted(ip)) {
            case Read.Found<Claim>(Claim found) -> {
                Whose whose = whose(ip, owner);
                yield whose == Whose.ANOTHERS || isFor(found, wanted.loadBalancerClass())
                        ? new Created(whose)
                        : new Created(whose, new Outcome.Changed(false));
            }
            case Read.Absent<Claim> none ->
                new Created(
                        Whose.NOT_MADE,
                        ReconcileContext.failed(
                                "claiming " + ip,
                                Reason.ClaimFailed,
                                "it was released while it was being claimed",
                                attempt));
            case Read.Failed<Claim>(String message) -> {
                pass.parts().ledger().doubt(ip);
                yield new Created(Whose.UNSURE, notRead(ip, message, attempt));
            }
        };
    }

    /** Joins those who share an address; of two who do so at once, the API server lets one in and the other look again. */
    Created join(Claim shared, ClaimSpec joined, Owner owner, Attempt attempt) {
        return switch (pass.parts().cluster().updateClaim(shared, joined)) {
            case Write.Done<Claim>(Claim now) -> new Created(wrote(now) ? whose(now.ip(), owner) : Whose.ANOTHERS);
            case Write.Conflict<Claim> changed -> joined(shared, owner, attempt);
            case Write.NotFound<Claim> gone -> joined(shared, owner, attempt);
            case Write.Unknown<Claim> lost -> joined(shared, owner, attempt);
            case Write.Refused<Claim>(String message) ->
                new Created(
                        Whose.UNSURE,
                        ReconcileContext.failed("joining " + shared.ip(), Reason.ClaimFailed, message, attempt));
        };
    }

    /** What became of a join: a read tells. */
    private Created joined(Claim shared, Owner owner, Attempt attempt) {
        return switch (read(shared.ip())) {
            case Read.Found<Claim> found -> new Created(whose(shared.ip(), owner));
            case Read.Absent<Claim> none -> {
                pass.addresses().foundGone(shared);
                yield new Created(Whose.ANOTHERS);
            }
            case Read.Failed<Claim>(String message) ->
                new Created(Whose.UNSURE, notRead(shared.ip(), message, attempt));
        };
    }

    /** Changes one; absent: it is done. */
    Optional<Outcome> update(Claim claim, ClaimSpec spec, Attempt attempt) {
        return switch (pass.parts().cluster().updateClaim(claim, spec)) {
            case Write.Done<Claim>(Claim now) ->
                wrote(now) && isStill(now) ? Optional.empty() : Optional.of(new Outcome.Changed(false));
            case Write.Conflict<Claim> changed -> Optional.of(readAgain(claim, false, attempt));
            case Write.NotFound<Claim> gone -> Optional.of(readAgain(claim, false, attempt));
            case Write.Refused<Claim>(String message) ->
                Optional.of(ReconcileContext.failed("claiming " + claim.ip(), Reason.ClaimFailed, message, attempt));
            case Write.Unknown<Claim>(String message) ->
                Optional.of(ReconcileContext.failed("claiming " + claim.ip(), Reason.ClaimFailed, message, attempt));
        };
    }

    /** Writes one as it is; absent: it was as it was known. */
    Optional<Outcome> confirm(Claim claim, Attempt attempt) {
        return switch (pass.parts().cluster().confirmClaim(claim)) {
            case Write.Done<Claim>(Claim now) ->
                wrote(now) ? Optional.empty() : Optional.of(new Outcome.Changed(false));
            case Write.Conflict<Claim> changed -> Optional.of(readAgain(claim, true, attempt));
            case Write.NotFound<Claim> gone -> Optional.of(readAgain(claim, true, attempt));
            case Write.Refused<Claim>(String message) ->
                Optional.of(ReconcileContext.failed("confirming " + claim.ip(), Reason.ClaimFailed, message, attempt));
            case Write.Unknown<Claim>(String message) ->
                Optional.of(
                        ReconcileContext.failed("confirming " + claim.ip(), Reason.ClaimUncertain, message, attempt));
        };
    }

    /** Reads what is not as it was known; the Service is to be read again, too. */
    Outcome readAgain(Holding known, Attempt attempt) {
        return readAgain(known.ip(), () -> pass.addresses().foundGone(known), true, attempt);
    }

    /** The same of what was to be written; {@code live}: whether the Service is to be read again, too. */
    private Outcome readAgain(Claim claim, boolean live, Attempt attempt) {
        return readAgain(claim.ip(), () -> pass.addresses().foundGone(claim), live, attempt);
    }

    private Outcome readAgain(Ip ip, Runnable absent, boolean live, Attempt attempt) {
        return switch (read(ip)) {
            case Read.Found<Claim> noted -> new Outcome.Changed(live);
            case Read.Absent<Claim> none -> {
                absent.run();
                yield new Outcome.Changed(live);
            }
            case Read.Failed<Claim>(String message) -> notRead(ip, message, attempt);
        };
    }

    /** Reads one; what is found is noted. Absent also if the cache has shown its end before the answer came. */
    Read<Claim> read(Ip ip) {
        return readUnless(ip, pass.parts().ledger()::isGone);
    }

    /** The same after a create was rejected, because there is one: it may have been deleted, and a finalizer keeps it. */
    private Read<Claim> readDeleted(Ip ip) {
        return readUnless(
                ip,
                found ->
                        pass.parts().ledger().isGone(found) && !pass.addresses().keeps(found));
    }

    private Read<Claim> readUnless(Ip ip, Predicate<Claim> isGone) {
        Read<Claim> read = pass.parts().cluster().readClaim(ip);
        if (read instanceof Read.Found<Claim>(Claim found)) {
            pass.addresses().read(found);
            if (isGone.test(found)) {
                return new Read.Absent<>();
            }
        }
        return read;
    }

    /** Whether it is there still: the cache may have shown its end before the answer came. */
    private boolean wrote(Claim claim) {
        pass.writes().wrote(claim.ip());
        pass.due().accept(pass.parts().ledger().observe(claim).concernedBeside(pass.key()));
        return claimed(claim.ip())
                .map(Holding::claim)
                .filter(known -> known.uid().equals(claim.uid())
                        && !pass.parts().ledger().isGone(claim))
                .isPresent();
    }

    /** Whether nobody wrote something else before the answer came. */
    private boolean isStill(Claim written) {
        return claimed(written.ip())
                .filter(held -> held.spec().equals(written.spec()))
                .isPresent();
    }

    /** Whether it was made for that class: one that the Service had before may have asked for it, too. */
    static boolean isFor(Claim claim, @Nullable String className) {
        return Objects.equals(claim.spec().loadBalancerClass(), className);
    }

    /** It could not be read. */
    static Outcome notRead(Ip ip, String message, Attempt attempt) {
        return ReconcileContext.failed("reading Address " + ip, Reason.ClaimUncertain, message, attempt);
    }
}
