package dev.berth.providers.grpc.wire;

/** What the other side sent is not what the contract allows; the message says what. */
public final class Nonsense extends RuntimeException {
    private static final long serialVersionUID = 1;

    public Nonsense(String message) {
        super(message);
    }

    /** @param what they are, human-readable */
    static void refuseMoreThan(int most, int count, String what) {
        if (count > most) {
            throw new Nonsense(count + " " + what + "; " + most + " at most");
        }
    }
}
