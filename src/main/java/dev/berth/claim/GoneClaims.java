package dev.berth.claim;

import dev.berth.ip.Ip;
import java.util.LinkedHashMap;
import java.util.Map;

/** Of the addresses whose objects vanished last, the newest such object. For one thread at a time. */
final class GoneClaims {
    private static final int REMEMBERED = 10_000;

    private final Map<Ip, Claim> newest = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Ip, Claim> eldest) {
            return size() > REMEMBERED;
        }
    };

    void add(Claim claim) {
        Claim known = newest.get(claim.ip());
        if (known == null || !known.isNewerThan(claim)) {
            newest.remove(claim.ip());
            newest.put(claim.ip(), claim);
        }
    }

    /** It is there still. */
    void remove(Claim claim) {
        newest.remove(claim.ip());
    }

    /** There is one object of a name at a time: what is older than one that is gone is gone, too. */
    boolean contains(Claim claim) {
        Claim known = newest.get(claim.ip());
        return known != null && (known.uid().equals(claim.uid()) || known.isNewerThan(claim));
    }
}
