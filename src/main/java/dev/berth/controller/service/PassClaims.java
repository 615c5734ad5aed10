package dev.berth.controller.service;

import dev.berth.claim.AddressRequest;
import dev.berth.claim.Choice;
import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Holding;
import dev.berth.claim.Owner;
import dev.berth.claim.QueuePosition;
import dev.berth.claim.Sharing;
import dev.berth.controller.address.Released;
import dev.berth.controller.service.AddressObjects.Created;
import dev.berth.controller.service.AddressObjects.Whose;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.kube.Read;
import dev.berth.kube.Write;
import dev.berth.loadbalancer.Facts.Done;
import dev.berth.loadbalancer.Outcome;
import dev.berth.loadbalancer.ServedClass;
import dev.berth.loadbalancer.ServiceConditions;
import dev.berth.loadbalancer.ServicePlan;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.Step;
import dev.berth.loadbalancer.TakeOverEffect;
import dev.berth.loadbalancer.Trouble.Reason;
import dev.berth.loadbalancer.WaitReason;
import dev.berth.pool.Pool;
import dev.berth.pool.Refusal;
import dev.berth.provider.Capabilities.AddressSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The addresses of one Service, in one pass: claims them, makes sure of them, gives them back. */
final class PassClaims {
    /** How often a choice may be lost to another operator before the Service is postponed. */
    private static final int CHOICES = 20;

    private final Pass pass;
    private final AddressObjects objects;

    PassClaims(Pass pass) {
        this.pass = pass;
        objects = new AddressObjects(pass);
    }

    /** Does a step of the plan. */
    List<Outcome> take(ServicePlan.Serve serve, Step.OfClaims step) {
        return switch (step) {
            case Step.SecureClaim(Holding holding, ServedClass served) -> secure(serve, holding, served);
            case Step.Amend(Holding holding, ClaimSpec spec) -> amend(serve, holding, spec);
            case Step.Acquire(AddressRequest request) -> acquire(serve, request);
        };
    }

    private List<Outcome> secure(ServicePlan.Serve serve, Holding holding, ServedClass served) {
        Ip ip = holding.ip();
        return switch (holding.state()) {
            case HELD -> {
                Created created = objects.create(ip, claimAgain(holding, served), pass.owner(serve), serve.timeless());
                if (created.whose() == Whose.NOT_MADE) {
                    giveUp(serve, ip);
                }
                yield created.whose() == Whose.ANOTHERS ? List.of(new Outcome.Changed(false)) : created.outcomes();
            }
            case UNSURE ->
                switch (objects.read(ip)) {
                    case Read.Found<Claim>(Claim found) ->
                        found.owners().contains(pass.owner(serve)) && AddressObjects.isFor(found, served.value())
                                ? List.of()
                                : List.of(new Outcome.Changed(false));
                    case Read.Absent<Claim> none -> {
                        pass.parts().ledger().notMade(ip);
                        giveUp(serve, ip);
                        yield List.of(new Outcome.Changed(false));
                    }
                    case Read.Failed<Claim>(String message) ->
                        List.of(AddressObjects.notRead(ip, message, serve.timeless()));
                };
            case CLAIMED -> takeOver(serve, holding, served).stream().toList();
        };
    }

    /**
     * Its Address could not be made, and may never be: others may have the address, and go first. What is still
     * published stays held: it is nobody else's before it is taken off.
     */
    private void giveUp(ServicePlan.Serve serve, Ip ip) {
        if (claim(ip) == null && !mayBePublished(serve.service(), ip)) {
            loseTurn(serve.service());
            pass.due().accept(pass.parts().ledger().giveUp(ip, pass.owner(serve)));
        }
    }

    /** The cache may be older than what was published last. */
    private boolean mayBePublished(ServiceState planned, Ip ip) {
        return planned.publishes(ip)
                || (!pass.live()
                        && switch (pass.parts().cluster().readService(pass.key())) {
                            case Read.Found<ServiceState>(ServiceState found) ->
                                found.uid().equals(planned.uid()) && found.publishes(ip);
                            case Read.Absent<ServiceState> gone -> false;
                            case Read.Failed<ServiceState> unknown -> true;
                        });
    }

    /** A Service for which no address can be claimed would otherwise keep all who wait behind it from theirs. */
    void loseTurn(ServiceState state) {
        pass.memory()
                .turn(new QueuePosition(pass.steady().truncatedTo(ChronoUnit.SECONDS), state.created(), state.uid()));
        pass.due().accept(pass.parts().ledger().stopWaiting(pass.key()));
    }

    private ClaimSpec claimAgain(Holding holding, ServedClass served) {
        ClaimSpec spec = holding.spec().takenFor(served.value(), UnaryOperator.identity());
        String pool = pass.parts()
                .ledger()
                .pools()
                .poolOf(holding.ip())
                .map(Pool::name)
                .orElse(spec.pool());
        return spec.takenFrom(pool);
    }

    /** What is kept for the Service's name, or was of one that bore it before, becomes its claim. */
    private Optional<Outcome> takeOver(ServicePlan.Serve serve, Holding holding, ServedClass served) {
        Claim claim = holding.claim();
        if (claim == null) {
            return Optional.of(new Outcome.Changed(false));
        }
        if (!pass.isReadSince(claim) && holding.holderNamed(pass.key()).isPresent()) {
            // Only a live read tells who has the name now, and none that is older than the claim.
            return Optional.of(new Outcome.Changed(true));
        }
        ClaimSpec taken = claim.spec()
                .takenFor(served.value(), owner -> owner.service().equals(pass.key()) ? pass.owner(serve) : owner);
        ClaimSpec spec = sharedBy(taken, pass.owner(serve), serve.wishes().sharing());
        return objects.update(
                claim, spec.retainedFor(pass.key(), serve.wishes().retain() ? true : null), serve.timeless());
    }

    /** Nobody may join before its ports are there. */
    private static ClaimSpec sharedBy(ClaimSpec taken, Owner owner, @Nullable Sharing mine) {
        boolean alone = taken.owners().stream().allMatch(other -> other.isReservation() || other.equals(owner));
        Sharing shared = taken.sharing();
        if (alone) {
            return taken.shared(mine);
        }
        return mine != null && shared != null && shared.admits(mine) ? taken.joinedBy(owner, mine) : taken;
    }

    private List<Outcome> amend(ServicePlan.Serve serve, Holding holding, ClaimSpec spec) {
        Claim claim = holding.claim();
        return claim == null
                ? List.of(new Outcome.Changed(false))
                : objects.update(claim, spec, serve.timeless()).stream().toList();
    }

    private List<Outcome> acquire(ServicePlan.Serve serve, AddressRequest asked) {
        AddressRequest request = asked;
        List<Refusal> missing = new ArrayList<>();
        for (int lostToOthers = 0; lostToOthers < CHOICES; ) {
            Choice choice = pass.parts().ledger().choose(request);
            if (choice instanceof Choice.Refused(AddressRequest refused, List<Refusal> refusals)) {
                return refused(asked, refused, refusals);
            }
            Choice.Assigned assigned = (Choice.Assigned) choice;
            if (!pass.parts().ledger().hold(assigned)) {
                // Another Service of ours was quicker, so work got done: this cannot go on forever.
                continue;
            }
            missing.addAll(assigned.missing());
            List<IpFamily> lost = new ArrayList<>();
            List<Outcome> troubles = new ArrayList<>();
            for (Choice.Pick pick : assigned.picks()) {
                Claim shared = pick.joins();
                Created created = shared == null
                        ? objects.create(pick.ip(), request.claimOf(pick.pool()), request.owner(), serve.timeless())
                        : objects.join(shared, request, serve.timeless());
                troubles.addAll(created.outcomes());
                if (created.whose() == Whose.ANOTHERS) {
                    lost.add(pick.ip().family());
                } else if (created.whose() == Whose.NOT_MADE) {
                    pass.due().accept(pass.parts().ledger().giveUp(pick.ip(), request.owner()));
                }
            }
            if (!troubles.isEmpty()) {
                return troubles;
            }
            if (lost.isEmpty()) {
                return acquired(asked, missing);
            }
            lostToOthers++;
            request = request.onlyFor(lost);
        }
        return List.of(Pass.failed(
                "choosing an address",
                Reason.ClaimFailed,
                CHOICES + " chosen addresses were taken by another operator",
                serve.timeless()));
    }

    private List<Outcome> refused(AddressRequest asked, AddressRequest refused, List<Refusal> refusals) {
        pass.due().accept(pass.parts().ledger().await(asked.allOrNone() ? asked : refused));
        return List.of(new Outcome.Lacks(WaitReason.of(refused, refusals)));
    }

    private List<Outcome> acquired(AddressRequest asked, List<Refusal> missing) {
        pass.parts().metrics().assigned();
        if (missing.isEmpty()) {
            pass.due().accept(pass.parts().ledger().stopWaiting(pass.key()));
            return List.of();
        }
        List<IpFamily> families =
                missing.stream().map(Refusal::family).distinct().toList();
        pass.due().accept(pass.parts().ledger().await(asked.onlyFor(families)));
        return List.of(new Outcome.Lacks(WaitReason.of(asked, missing)));
    }

    /** Joins those who share the address of one that is taken over. */
    List<Outcome> join(TakeOverEffect.Join effect) {
        return Stream.concat(
                        Stream.of(new Outcome.StepsDone(effect.index() + 1)),
                        objects.join(effect.shared(), effect.request(), effect.request()).outcomes().stream())
                .toList();
    }

    /** Releases {@code addresses}; {@code done}: what is done then. */
    List<Outcome> release(List<Ip> addresses, Done done) {
        boolean all = true;
        for (Ip ip : addresses) {
            Optional<Owner> owner = pass.parts().ledger().holding(ip).flatMap(this::whoLeaves);
            if (owner.isPresent()) {
                boolean itself = pass.service().isPresent()
                        && pass.service().get().uid().equals(owner.get().uid());
                boolean mayBePublished = itself && !pass.writes().hasWrittenService() && claim(ip) != null;
                if (mayBePublished && !Objects.equals(claim(ip), pass.planned().get(ip))) {
                    return List.of(new Outcome.Changed(false));
                }
                Optional<Outcome> hindered =
                        mayBePublished ? forestall(pass.service().get(), addresses) : Optional.empty();
                if (hindered.isPresent()) {
                    return List.of(new Outcome.Did(done), hindered.get());
                }
                Released released = itself
                        ? pass.parts()
                                .addresses()
                                .release(ip, owner.get(), pass.writes().claimBefore(ip))
                        : pass.parts().addresses().releaseIfGone(ip, owner.get()) ? Released.DONE : Released.LATER;
                if (released == Released.CHANGED) {
                    return List.of(new Outcome.Changed(true));
                }
                all &= released == Released.DONE;
            }
        }
        return all
                ? List.of(new Outcome.Did(done))
                : List.of(
                        new Outcome.Did(done),
                        new Outcome.LookAgain(pass.parts().backoff().after(1)));
    }

    private @Nullable Claim claim(Ip ip) {
        return pass.parts().ledger().holding(ip).map(Holding::claim).orElse(null);
    }

    /**
     * Writes the Service where nothing had to be written: another operator may have seen that it wants the address,
     * and be about to publish it. That patch fails by this write, or was first.
     */
    private Optional<Outcome> forestall(ServiceState planned, List<Ip> addresses) {
        ServiceState state = pass.writes().newest(planned);
        return switch (pass.parts()
                .cluster()
                .publish(state, ServiceConditions.releasing(state, addresses, pass.now()), false)) {
            case Write.Done<ServiceState>(ServiceState answer) -> {
                pass.wrote(answer, pass.planned());
                yield Optional.empty();
            }
            case Write.Conflict<ServiceState> changed -> Optional.of(new Outcome.Changed(true));
            case Write.NotFound<ServiceState> gone -> Optional.of(new Outcome.Changed(true));
            case Write.Refused<ServiceState>(String message) -> Optional.of(notForestalled(addresses, message));
            case Write.Unknown<ServiceState>(String message) -> Optional.of(notForestalled(addresses, message));
        };
    }

    private Outcome notForestalled(List<Ip> addresses, String message) {
        return Pass.failed(
                "releasing " + addresses,
                Reason.ReleaseFailed,
                message,
                pass.plan().timeless());
    }

    /** One that bore the name before goes first. */
    private Optional<Owner> whoLeaves(Holding holding) {
        return pass.service()
                .flatMap(state -> holding.predecessorOf(pass.key(), state.uid()))
                .or(() -> holding.holderNamed(pass.key()));
    }

    /** Reads the Addresses of what is about to go from the status. */
    List<Outcome> checkPublished(ServicePlan.Serve serve, List<Ip> going) {
        for (Ip ip : going) {
            switch (objects.read(ip)) {
                case Read.Found<Claim>(Claim found) -> {
                    if (found.owners().contains(pass.owner(serve))) {
                        return List.of(new Outcome.Changed(true));
                    }
                }
                case Read.Absent<Claim> none -> {}
                case Read.Failed<Claim>(String message) -> {
                    return unsure(Done.PUBLISHED_CHECKED, AddressObjects.notRead(ip, message, serve.timeless()));
                }
            }
        }
        return List.of(new Outcome.Did(Done.PUBLISHED_CHECKED));
    }

    /**
     * Writes the Address objects of what is about to be published for the first time, but for those that were
     * written for the Service as it is. A read would not do: another operator may be about to release the address,
     * for it looked at the Service before the Service wanted it. Its release fails by this write, or was first.
     */
    List<Outcome> confirm(ServicePlan.Serve serve, List<Ip> first) {
        for (Ip ip : first) {
            Optional<Outcome> hindered = confirm(serve, ip);
            if (hindered.isPresent()) {
                return hindered.get() instanceof Outcome.Failed
                        ? unsure(Done.CLAIMS_CONFIRMED, hindered.get())
                        : List.of(hindered.get());
            }
        }
        return List.of(new Outcome.Did(Done.CLAIMS_CONFIRMED));
    }

    private Optional<Outcome> confirm(ServicePlan.Serve serve, Ip ip) {
        Optional<Holding> held = pass.parts().ledger().holding(ip).filter(Holding::isSomebodys);
        if (held.isEmpty() && serve.servedClass().capabilities().addresses() == AddressSource.POOLS) {
            // Another operator released it meanwhile.
            return Optional.of(new Outcome.Changed(true));
        }
        if (held.isEmpty() || pass.writes().isWritten(ip)) {
            // A provider's own, or sure.
            return Optional.empty();
        }
        Claim claim = held.get().claim();
        if (claim == null || !claim.owners().contains(pass.owner(serve))) {
            return Optional.of(objects.readAgain(held.get(), serve.timeless()));
        }
        return objects.confirm(claim, serve.timeless());
    }

    /** What is published stays: what is to be published is not surely its own. */
    private static List<Outcome> unsure(Done done, Outcome trouble) {
        return List.of(new Outcome.Did(done), trouble, new Outcome.NotToPublish());
    }
}
