package dev.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.Ip;
import dev.berth.servicecidr.Audit;
import dev.berth.servicecidr.ClusterIp;
import dev.berth.servicecidr.ClusterIps;
import dev.berth.servicecidr.SampleCidrs;
import dev.berth.servicecidr.ServiceCidr;
import dev.berth.servicecidr.Usage;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AuditReportTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final ClusterIps ips = new ClusterIps();

    private void take(String ip) {
        ips.put(new ClusterIp(Ip.parse(ip), "uid", "example.org", null, null, START));
    }

    private AuditReport report(List<ServiceCidr> cidrs, boolean pools) {
        return new AuditReport(
                Usage.of(cidrs, ips),
                new Audit(cidrs, ips, List.of(), List.of(), List.of()).findings(START),
                new AuditReport.Seen(cidrs.size(), ips.size(), 0, pools));
    }

    @Test
    void ofASoundCluster_itIsTheTable_andThatNothingWasFound() {
        assertThat(report(
                                List.of(
                                        SampleCidrs.ready("kubernetes", "10.96.0.0/16", "fd00::/108"),
                                        SampleCidrs.ready("small", "10.9.0.0/28")),
                                true)
                        .text())
                .isEqualTo("""
                        SERVICECIDR  CIDR          STATE  STATIC         DYNAMIC            LARGEST FREE STATIC BLOCK
                        kubernetes   10.96.0.0/16  Ready  0 of 256 (0%)  0 of 65278 (0%)    10.96.0.1-10.96.1.0
                        kubernetes   fd00::/108    Ready  0 of 256 (0%)  0 of 1048319 (0%)  fd00::1-fd00::100
                        small        10.9.0.0/28   Ready  -              0 of 14 (0%)       -

                        FAMILY  USED               FREE
                        IPv4    0 of 65548 (0%)    65548
                        IPv6    0 of 1048575 (0%)  1048575

                        Nothing found in 2 ServiceCIDRs, 0 IPAddresses, 0 Services
                        """);
    }

    @Test
    void whatIsWrong_comesWithItsObject_andWhatToType() {
        take("10.96.0.1");

        assertThat(report(List.of(SampleCidrs.ready("kubernetes", "10.96.0.0/27")), false)
                        .text())
                .isEqualTo("""
                        SERVICECIDR  CIDR          STATE  STATIC        DYNAMIC       LARGEST FREE STATIC BLOCK
                        kubernetes   10.96.0.0/27  Ready  1 of 16 (6%)  0 of 14 (0%)  10.96.0.2-10.96.0.16

                        FAMILY  USED          FREE
                        IPv4    1 of 30 (3%)  29

                        Warning  IPAddressWithoutParent  IPAddress/10.96.0.1
                            it has no parentRef, so the address is never released; kubectl delete ipaddress 10.96.0.1

                        1 finding in 1 ServiceCIDR, 1 IPAddress, 0 Services (no AddressPools, they are not installed)
                        """);
    }

    @Test
    void aFamily_countsWhatTwoRangesHaveOnce_andThatItIsFullIsFound() {
        IntStream.rangeClosed(1, 14).forEach(low -> take("10.9.0." + low));

        assertThat(report(
                                List.of(
                                        SampleCidrs.ready("large", "10.9.0.0/28"),
                                        SampleCidrs.ready("small", "10.9.0.0/29")),
                                true)
                        .text())
                .contains("""

                        FAMILY  USED             FREE
                        IPv4    14 of 14 (100%)  0

                        Error  FamilyFull  ServiceCIDR/large
                            no IPv4 address is free, all 14 are in use: \
                        """);
    }

    @Test
    void asJson_itHasTheSame_forPrograms() {
        take("10.96.0.1");

        assertThat(AuditJson.of(report(
                                List.of(
                                        SampleCidrs.ready("kubernetes", "10.96.0.0/27"),
                                        SampleCidrs.ready("six", "fd00::/64")),
                                false))
                        .text())
                .isEqualTo("""
                        {
                          "ranges" : [ {
                            "serviceCIDR" : "kubernetes",
                            "cidr" : "10.96.0.0/27",
                            "state" : "Ready",
                            "static" : {
                              "size" : "16",
                              "allocated" : "1",
                              "free" : "15"
                            },
                            "dynamic" : {
                              "size" : "14",
                              "allocated" : "0",
                              "free" : "14"
                            },
                            "largestFreeStaticBlock" : "10.96.0.2-10.96.0.16"
                          }, {
                            "serviceCIDR" : "six",
                            "cidr" : "fd00::/64",
                            "state" : "Ready",
                            "static" : {
                              "size" : "256",
                              "allocated" : "0",
                              "free" : "256"
                            },
                            "dynamic" : {
                              "size" : "18446744073709551359",
                              "allocated" : "0",
                              "free" : "18446744073709551359"
                            },
                            "largestFreeStaticBlock" : "fd00::1-fd00::100"
                          } ],
                          "families" : [ {
                            "family" : "IPv4",
                            "size" : "30",
                            "allocated" : "1",
                            "free" : "29",
                            "usedPercent" : 3
                          }, {
                            "family" : "IPv6",
                            "size" : "18446744073709551615",
                            "allocated" : "0",
                            "free" : "18446744073709551615",
                            "usedPercent" : 0
                          } ],
                          "findings" : [ {
                            "severity" : "Warning",
                            "reason" : "IPAddressWithoutParent",
                            "object" : "IPAddress/10.96.0.1",
                            "message" : "it has no parentRef, so the address is never released; kubectl delete ipaddress 10.96.0.1"
                          } ],
                          "seen" : {
                            "serviceCidrs" : 2,
                            "ipAddresses" : 1,
                            "services" : 0,
                            "pools" : false
                          }
                        }
                        """);
    }

    @Test
    void whatWasNotFoundBefore_isLeftOut() {
        take("10.96.0.1");
        AuditReport first = report(List.of(SampleCidrs.ready("kubernetes", "10.96.0.0/27")), true);
        take("10.96.0.2");
        AuditReport second = report(List.of(SampleCidrs.ready("kubernetes", "10.96.0.0/27")), true);

        assertThat(second.findings()).hasSize(2);
        assertThat(second.keeping(first.findings()).findings()).isEqualTo(first.findings());
    }
}
