package dev.berth.address;

/** Why a pool gives a request no address, in the order in which they are asked. */
public enum Rule {
    NO_SUCH_FAMILY,
    SUSPENDED,
    NOT_IN_CLASS,
    NOT_AUTO_ASSIGNED,
    NAMESPACE_NOT_SELECTED,
    SERVICE_NOT_SELECTED,
    FULL,
    OTHERS_WAIT
}
