package dev.berth.controller.service;

import dev.berth.claim.AddressRequest;
import dev.berth.claim.Choice;
import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Holding;
import dev.berth.claim.Owner;
import dev.berth.controller.address.Released;
import dev.berth.controller.service.AddressObjects.Created;
import dev.berth.ip.Ip;
import dev.berth.kube.Read;
import dev.berth.loadbalancer.Attempt;
import dev.berth.loadbalancer.Leaving;
import dev.berth.loadbalancer.Outcome;
import dev.berth.loadbalancer.ServiceFailure;
import dev.berth.loadbalancer.ServicePlan;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.ServingEffect;
import dev.berth.loadbalancer.TakeOverEffect;
import dev.berth.pool.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The addresses of one Service, in one pass: claims them, makes sure of them, gives them back. */
final class ClaimEffects {
    private final ReconcileContext pass;
    private final AddressObjects objects;

    ClaimEffects(ReconcileContext pass) {
        this.pass = pass;
        objects = new AddressObjects(pass);
    }

    /** Does a step of the plan that one effect does. */
    List<Outcome> take(ServicePlan.Serve serve, ServingEffect.OfStep step) {
        return switch (step) {
            case ServingEffect.CreateClaim create -> create(serve, create);
            case ServingEffect.ReadClaim(int index, Ip ip) -> readUncertain(serve, ip);
            case ServingEffect.UpdateClaim(int index, Claim claim, ClaimSpec spec) ->
                objects.update(claim, spec, serve.attempt()).stream().toList();
        };
    }

    private List<Outcome> create(ServicePlan.Serve serve, ServingEffect.CreateClaim effect) {
        Created created = objects.create(effect.ip(), effect.spec(), pass.owner(serve), serve.attempt());
        return switch (created.whose()) {
            case ANOTHERS -> List.of(new Outcome.Changed(false));
            case NOT_MADE ->
                Stream.concat(Stream.of(new Outcome.NotMade(effect.ip())), created.outcomes().stream())
                        .toList();
            case OURS, UNSURE -> created.outcomes();
        };
    }

    private List<Outcome> readUncertain(ServicePlan.Serve serve, Ip ip) {
        return switch (objects.read(ip)) {
            case Read.Found<Claim>(Claim found) -> List.of(new Outcome.Found(found));
            case Read.Absent<Claim> none -> {
                pass.parts().ledger().notMade(ip);
                yield List.of(new Outcome.NotMade(ip), new Outcome.Changed(false));
            }
            case Read.Failed<Claim>(String message) -> List.of(AddressObjects.notRead(ip, message, serve.attempt()));
        };
    }

    /** Reads the Service live. */
    Outcome readService() {
        return switch (pass.parts().cluster().readService(pass.key())) {
            case Read.Found<ServiceState>(ServiceState found) -> new Outcome.ServiceRead(Optional.of(found));
            case Read.Absent<ServiceState> gone -> new Outcome.ServiceRead(Optional.empty());
            case Read.Failed<ServiceState> unknown -> new Outcome.ServiceNotRead();
        };
    }

    /** The Address of an address that is held could not be made: others may have it, and go first. */
    Outcome giveUp(ServicePlan.Serve serve, Ip ip) {
        loseTurn(serve.service());
        pass.due().accept(pass.parts().ledger().giveUp(ip, pass.owner(serve)));
        return new Outcome.GivenUp(ip);
    }

    /** A Service for which no address can be claimed would otherwise keep all who wait behind it from theirs. */
    void loseTurn(ServiceState state) {
        pass.turns().goLast(state);
        pass.due().accept(pass.parts().ledger().stopWaiting(pass.key()));
    }

    Outcome choose(AddressRequest request) {
        return switch (pass.parts().ledger().take(request)) {
            case Choice.Refused(AddressRequest same, List<Refusal> refusals) -> new Outcome.NotChosen(refusals);
            case Choice.Assigned chosen -> new Outcome.Chosen(chosen);
        };
    }

    /** Claims an address that was chosen. */
    List<Outcome> claim(ServicePlan.Serve serve, ServingEffect.ClaimChosen effect) {
        Owner owner = pass.owner(serve);
        Created created = switch (effect) {
            case ServingEffect.CreateChosen(Ip ip, ClaimSpec spec) -> objects.create(ip, spec, owner, serve.attempt());
            case ServingEffect.JoinChosen(Claim shared, ClaimSpec joined) ->
                objects.join(shared, joined, owner, serve.attempt());
        };
        List<Outcome> outcomes = new ArrayList<>(created.outcomes());
        outcomes.addFirst(new Outcome.ClaimTried(effect.ip(), created.whose()));
        return outcomes;
    }

    /** Joins those who share the address of one that is taken over. */
    List<Outcome> join(TakeOverEffect.Join effect) {
        return Stream.concat(
                        Stream.of(new Outcome.StepsDone(effect.index() + 1)),
                        objects
                                .join(
                                        effect.shared(),
                                        effect.joined(),
                                        effect.request().owner(),
                                        new Attempt.TakeOver(effect.request()))
                                .outcomes()
                                .stream())
                .toList();
    }

    /** Releases an address. */
    Outcome release(Leaving leaving) {
        Released released = switch (leaving) {
            case Leaving.Itself(Ip ip, Owner owner, Optional<Claim> before) ->
                pass.addresses().release(ip, owner, before.orElse(null));
            case Leaving.Former(Ip ip, Owner owner) -> pass.addresses().releaseIfGone(ip, owner);
        };
        return switch (released) {
            case DONE -> new Outcome.ReleaseTried(leaving.ip(), false);
            case LATER -> new Outcome.ReleaseTried(leaving.ip(), true);
            case CHANGED -> new Outcome.Changed(true);
        };
    }

    /** Reads the Address of what is about to go from the status. */
    Outcome checkPublished(ServicePlan.Serve serve, Ip going) {
        return switch (objects.read(going)) {
            case Read.Found<Claim>(Claim found) ->
                new Outcome.GoingRead(
                        going,
                        Optional.of(found),
                        pass.parts().environment().classes().get().isServedElsewhere(found.loadBalancerClass()));
            case Read.Absent<Claim> none -> new Outcome.GoingRead(going, Optional.empty(), false);
            case Read.Failed<Claim>(String message) ->
                notConfirmed(AddressObjects.notRead(going, message, serve.attempt()));
        };
    }

    /** Reads one that is not the Service's own as far as is known, and was to be published. */
    Outcome readAgain(ServicePlan.Serve serve, Holding known) {
        return notConfirmed(objects.readAgain(known, serve.attempt()));
    }

    /** Writes an Address object as it is. */
    Outcome confirm(ServicePlan.Serve serve, Claim claim) {
        return objects.confirm(claim, serve.attempt())
                .map(ClaimEffects::notConfirmed)
                .orElseGet(() -> new Outcome.Confirmed(claim.ip()));
    }

    /** What goes wrong here is about what is to be published. */
    private static Outcome notConfirmed(Outcome hindered) {
        return hindered instanceof Outcome.Failed(ServiceFailure what) ? new Outcome.NotConfirmed(what) : hindered;
    }
}
