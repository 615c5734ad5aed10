package dev.berth.address;

/** Why a pool gives a request no address, in the order in which they are asked. */
public enum RefusalReason {
    NO_SUCH_FAMILY,
    /** It does not have the very address that is asked for. */
    NOT_ITS_ADDRESS,
    /** Part of what it says cannot be read. */
    UNREADABLE,
    SUSPENDED,
    NOT_IN_CLASS,
    /** The Service names other pools. */
    NOT_NAMED,
    NOT_AUTO_ASSIGNED,
    NAMESPACE_NOT_SELECTED,
    SERVICE_NOT_SELECTED,
    /** The very address that is asked for is another's. */
    IN_USE,
    /** It could be shared, but one of the ports is another's, or the terms differ. */
    NOT_SHAREABLE,
    /** Another of its sharing key is just claiming the address that both are to have. */
    SHARED_SOON,
    OVER_QUOTA,
    FULL,
    OTHERS_WAIT
}
