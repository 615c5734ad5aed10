package dev.berth.provider.tck;

import dev.berth.provider.LoadBalancerRequest.Port;
import dev.berth.provider.LoadBalancerRequest.Tls;
import java.util.List;

/** Two certificates that nobody vouches for, and their keys, which are no secret. */
final class SampleTls {
    private SampleTls() {}

    /** Of a.tck.berth.dev, until 2126. */
    static Tls first(Port port) {
        return new Tls(List.of(port.port()), FIRST, FIRST_KEY);
    }

    /** Of b.tck.berth.dev, until 2126. */
    static Tls second(Port port) {
        return new Tls(List.of(port.port()), SECOND, SECOND_KEY);
    }

    private static final String FIRST = """
            -----BEGIN CERTIFICATE-----
            MIIBpzCCAU2gAwIBAgIUOWCviv4coTZtVN8QTlmycMVFZ18wCgYIKoZIzj0EAwIw
            GjEYMBYGA1UEAwwPYS50Y2suYmVydGguZGV2MCAXDTI2MTEyMzEwNTAxNVoYDzIx
            MjYxMDMwMTA1MDE1WjAaMRgwFgYDVQQDDA9hLnRjay5iZXJ0aC5kZXYwWTATBgcq
            hkjOPQIBBggqhkjOPQMBBwNCAARNiThgYz0j1e8loMBDRvsB7foNEBQ7WyHcxR+L
            GqNySv5vLS46V6ZdQ7rvH2im8H2YfdDRNtSfylgqxfyd0frbo28wbTAdBgNVHQ4E
            FgQUz/xz4j7qVHk2oRq/1knRfF82AxIwHwYDVR0jBBgwFoAUz/xz4j7qVHk2oRq/
            1knRfF82AxIwDwYDVR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgg9hLnRjay5iZXJ0
            aC5kZXYwCgYIKoZIzj0EAwIDSAAwRQIgM0xRakdz1x430Z4u4Rkv7e2kOLTUoKQB
            ots+P5xxTJwCIQC/IOPE2c9gjWASXQAeqTmcnghjjc810Ya3LDuhI36JtA==
            -----END CERTIFICATE-----
            """;

    private static final String FIRST_KEY = """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg0RCm3QfU843cobJt
            lFBtwlmFycYJ6i1NUmYbECJVRgqhRANCAARNiThgYz0j1e8loMBDRvsB7foNEBQ7
            WyHcxR+LGqNySv5vLS46V6ZdQ7rvH2im8H2YfdDRNtSfylgqxfyd0frb
            -----END PRIVATE KEY-----
            """;

    private static final String SECOND = """
            -----BEGIN CERTIFICATE-----
            MIIBqDCCAU2gAwIBAgIUJwtwpm/CcZIF4lglj7LHM9a2rk8wCgYIKoZIzj0EAwIw
            GjEYMBYGA1UEAwwPYi50Y2suYmVydGguZGV2MCAXDTI2MTEyMzEwNTAxNVoYDzIx
            MjYxMDMwMTA1MDE1WjAaMRgwFgYDVQQDDA9iLnRjay5iZXJ0aC5kZXYwWTATBgcq
            hkjOPQIBBggqhkjOPQMBBwNCAARApXxUP92k31LZJhEiZcOOCY9ly9kNPWojFn75
            HK9XlbvF5Mb7XAvySs8tVXWyun+xdzPk0MoBL97YHlRki2nTo28wbTAdBgNVHQ4E
            FgQUHKOPD3fmBh/j+dsOGhvhw/0IAn8wHwYDVR0jBBgwFoAUHKOPD3fmBh/j+dsO
            Ghvhw/0IAn8wDwYDVR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgg9iLnRjay5iZXJ0
            aC5kZXYwCgYIKoZIzj0EAwIDSQAwRgIhAPuZCm2qgDVRvaf3av01BJsXKxSqBElL
            WIjq7WgGWqTqAiEAoj4HU5m2piMkQVF0I9B54Me61uzWW16jEiw2NC83HKw=
            -----END CERTIFICATE-----
            """;

    private static final String SECOND_KEY = """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgwvHWGz3QXQeqevJ3
            NhLB8vPfaJmJYFSpb1L0V+xk65ChRANCAARApXxUP92k31LZJhEiZcOOCY9ly9kN
            PWojFn75HK9XlbvF5Mb7XAvySs8tVXWyun+xdzPk0MoBL97YHlRki2nT
            -----END PRIVATE KEY-----
            """;
}
