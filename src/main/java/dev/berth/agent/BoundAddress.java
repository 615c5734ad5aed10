package dev.berth.agent;

import dev.berth.ip.Ip;
import java.net.InetAddress;

/** An address that this node has on an interface. Times are milliseconds. */
final class BoundAddress {
    /** Between two beginnings of what neighbours are told, where others claim it again and again. */
    private static final long AGAIN = 1_000;

    final InetAddress address;
    final int index;
    final RepeatSchedule tellings;
    long probed;

    /** When it is taken off; 0: it stays. */
    long ends;

    private String link;

    /** The hardware address that neighbours have for it; empty: not known. */
    private String hardware;

    /**
     * Neighbours are notified from now on.
     *
     * @param link the name of the interface of this number; empty: not known
     * @param hardware empty: not known
     */
    BoundAddress(Ip ip, String link, int index, String hardware, long now) {
        this.address = BoundAddresses.inet(ip);
        this.link = link;
        this.index = index;
        this.hardware = hardware;
        this.tellings = new RepeatSchedule(now);
        // After the first tellings: until then another agent may still have it.
        this.probed = now - BoundAddresses.PROBE + 3_000;
    }

    String link() {
        return link;
    }

    /** Its interface has this name and this hardware address by now. Returns whether neighbours have to be told. */
    boolean isMoved(String name, String mac, long now) {
        link = name;
        boolean isMoved = !hardware.isEmpty() && !hardware.equals(mac);
        hardware = mac;
        if (isMoved) {
            tellings.begin(now);
        }
        return isMoved;
    }

    /** Another node has claimed it: neighbours may have learnt its hardware address. Returns whether they have to be told. */
    boolean isContested(long now) {
        boolean isDue = ends == 0 && tellings.age(now) >= AGAIN;
        if (isDue) {
            tellings.begin(now);
        }
        return isDue;
    }
}
