package dev.berth.controller.address;

/** What came of giving an address back. */
public enum Released {
    /** It is given back, or was not held any more. */
    DONE,
    /** Its Address is not as it was: look at the Service again, then decide again. */
    CHANGED,
    /** It could not be done: try again later. */
    LATER
}
