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

    private long began;

    /**
     * Neighbours are told of it from now on.
     *
     * @param link the name of the interface of this number; empty: not known
     * @param hardware empty: not known
     */
    BoundAddress(Ip ip, String link, int index, String hardware, long now) {
        this.address = InetAddress.ofLiteral(ip.toString());
        this.link = link;
        this.index = index;
        this.hardware = hardware;
        this.tellings = new RepeatSchedule(now);
        this.began = now;
        // After the first tellings: until then another agent may still have it.
        this.probed = now - BoundAddresses.PROBE + 3_000;
    }

    String link() {
        return link;
    }

    /** Neighbours are told again where it is. */
    void tellAgain(long now) {
        began = now;
        tellings.begin(now);
    }

    /** Its interface has this name and this hardware address by now. Returns whether neighbours have to be told. */
    boolean isMoved(String name, String mac, long now) {
        link = name;
        boolean isMoved = !hardware.isEmpty() && !hardware.equals(mac);
        hardware = mac;
        if (isMoved) {
            tellAgain(now);
        }
        return isMoved;
    }

    /** Another node has claimed it: neighbours may have learnt its hardware address. Returns whether they have to be told. */
    boolean isContested(long now) {
        boolean isDue = ends == 0 && now - began >= AGAIN;
        if (isDue) {
            tellAgain(now);
        }
        return isDue;
    }
}
