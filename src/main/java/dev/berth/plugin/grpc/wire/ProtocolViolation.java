package dev.berth.plugin.grpc.wire;

/** What the other side sent is not what the contract allows; the message says what. */
public final class ProtocolViolation extends RuntimeException {
    private static final long serialVersionUID = 1;

    public ProtocolViolation(String message) {
        super(message);
    }

    /** @param what they are, human-readable */
    static void refuseMoreThan(int most, int count, String what) {
        if (count > most) {
            throw new ProtocolViolation(count + " " + what + "; " + most + " at most");
        }
    }
}
