package dev.berth.claim;

/** Those of one namespace who name one sharing key. */
record SharedBy(String namespace, String key) {}
