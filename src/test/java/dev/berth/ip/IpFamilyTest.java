package dev.berth.ip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class IpFamilyTest {
    @Test
    void familyIsFoundByItsName_asAServiceHasIt() {
        assertThat(IpFamily.of("IPv4")).isEqualTo(IpFamily.IPV4);
        assertThat(IpFamily.of("IPv6")).isEqualTo(IpFamily.IPV6);
        assertThat(IpFamily.find("IPv6")).contains(IpFamily.IPV6);
    }

    @Test
    void nameOfNoFamily_isRefusedByName_orAbsent() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> IpFamily.of("ipv4"))
                .withMessageContaining("\"ipv4\"");
        assertThat(IpFamily.find("ipv4")).isEmpty();
    }
}
