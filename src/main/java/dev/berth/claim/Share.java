package dev.berth.claim;

import dev.berth.pool.HeldAddress;
import java.util.Optional;

/** What a request could share of an address that others hold. */
record Share(Holding held, AddressRequest request) implements HeldAddress {
    @Override
    public boolean isOfItsKey() {
        Sharing mine = request.constraints().sharing();
        Sharing theirs = held.spec().sharing();
        return mine != null
                && theirs != null
                && held.spec().phase() == ClaimSpec.Phase.BOUND
                && isOfItsNamespace()
                && mine.key().equals(theirs.key());
    }

    private boolean isOfItsNamespace() {
        return held.owners().stream()
                .allMatch(owner ->
                        owner.service().namespace().equals(request.service().namespace()));
    }

    @Override
    public String holder() {
        String ip = held.ip().toString();
        String otherKind = held.spec().otherKind();
        if (otherKind != null) {
            return ip + " has a claim of kind " + otherKind;
        }
        return switch (held.spec().phase()) {
            case RESERVED -> ip + " is reserved";
            case COOLING -> ip + " was released recently";
            case BOUND ->
                isOfItsNamespace()
                        ? ip + " is used by Service " + held.owners().getFirst().service()
                        : ip + " is used by a Service in another namespace";
        };
    }

    @Override
    public Optional<String> obstacle() {
        Sharing mine = request.constraints().sharing();
        Sharing theirs = held.spec().sharing();
        if (mine == null || theirs == null) {
            return Optional.empty();
        }
        if (!request.loadBalancerClass().equals(held.loadBalancerClass())) {
            return Optional.of(held.ip() + " belongs to class " + held.loadBalancerClass());
        }
        if (!mine.terms().equals(theirs.terms())) {
            return Optional.of(held.ip() + " is shared by " + theirs.terms() + ", not " + mine.terms());
        }
        if (held.spec().isFullFor(request.service())) {
            return Optional.of(held.ip() + " is already shared by the maximum number of Services");
        }
        return theirs.clash(mine.ports())
                .map(port -> port + " of " + held.ip() + " is used by Service " + port.service());
    }

    /** What one of its name held before is taken over or given back first, not shared with it. */
    @Override
    public boolean canBeJoined() {
        return held.claim() != null
                && held.state() == Holding.State.CLAIMED
                && held.predecessorOf(request.service(), request.uid()).isEmpty();
    }
}
