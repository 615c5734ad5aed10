package dev.berth.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The frames by which neighbours are notified of an address, against what other programs send. */
class NeighboursTest {
    private static final byte[] HARDWARE = HexFormat.of().parseHex("0200000000aa");

    private static byte[] address(String text) {
        return InetAddress.ofLiteral(text).getAddress();
    }

    @Test
    void gratuitousArp_asksEverybodyForItsOwnAddress() {
        assertThat(Neighbours.gratuitousArp(HARDWARE, address("192.0.2.1")))
                .isEqualTo(HexFormat.of()
                        .parseHex("ffffffffffff" + "0200000000aa" + "0806" + "0001" + "0800" + "0604" + "0001"
                                + "0200000000aa" + "c0000201" + "000000000000" + "c0000201"));
    }

    /** The sum over pseudo-header and message, with its checksum, is all ones: RFC 1071. */
    @Test
    void neighbourAdvertisement_goesToAllNodes_overrides_andHasARightChecksum() {
        byte[] frame = Neighbours.neighbourAdvertisement(HARDWARE, address("2001:db8::1"));
        String hex = HexFormat.of().formatHex(frame);
        assertThat(hex)
                .startsWith("333300000001" + "0200000000aa" + "86dd" + "60000000" + "0020" + "3a" + "ff"
                        + "20010db8000000000000000000000001" + "ff020000000000000000000000000001" + "8800")
                .endsWith("20000000" + "20010db8000000000000000000000001" + "0201" + "0200000000aa");
        assertRightChecksum(frame);
    }

    private static void assertRightChecksum(byte[] frame) {
        int sum = frame.length - 54 + 0x3a;
        for (int i = 22; i < frame.length; i += 2) {
            sum += (frame[i] & 0xff) << 8 | (frame[i + 1] & 0xff);
        }
        assertThat((sum & 0xffff) + (sum >>> 16)).isEqualTo(0xffff);
    }

    @Test
    void routerAdvertisement_makesNobodyItsDefaultRouter_andBothSayTheHardwareAddress() {
        assertRightChecksum(Neighbours.routerAdvertisement(HARDWARE, address("fe80::a")));
        assertRightChecksum(Neighbours.routerSolicitation(HARDWARE, address("fe80::a")));
        assertThat(HexFormat.of().formatHex(Neighbours.routerAdvertisement(HARDWARE, address("fe80::a"))))
                .startsWith("333300000001" + "0200000000aa" + "86dd" + "60000000" + "0018" + "3a" + "ff"
                        + "fe80000000000000000000000000000a" + "ff020000000000000000000000000001" + "8600")
                .endsWith("0000" + "0000" + "00000000" + "00000000" + "0101" + "0200000000aa");
        assertThat(HexFormat.of().formatHex(Neighbours.routerSolicitation(HARDWARE, address("fe80::a"))))
                .startsWith("333300000002" + "0200000000aa" + "86dd" + "60000000" + "0010" + "3a" + "ff"
                        + "fe80000000000000000000000000000a" + "ff020000000000000000000000000002" + "8500")
                .endsWith("00000000" + "0101" + "0200000000aa");
    }

    @Test
    void probes_haveNoSender() {
        assertThat(HexFormat.of().formatHex(Neighbours.arpProbe(HARDWARE, address("192.0.2.1"))))
                .endsWith("0001" + "0200000000aa" + "00000000" + "000000000000" + "c0000201");
        assertThat(HexFormat.of().formatHex(Neighbours.neighbourSolicitation(HARDWARE, address("2001:db8::1:2"))))
                .startsWith("3333ff010002" + "0200000000aa" + "86dd" + "60000000" + "0018" + "3a" + "ff"
                        + "00000000000000000000000000000000" + "ff0200000000000000000001ff010002" + "8700")
                .endsWith("00000000" + "20010db8000000000000000000010002");
    }
}
