package com.example.nginx;

/** The same for an nginx that reaches the pods. */
class NginxToEndpointsTest extends NginxProviderTest {
    @Override
    protected String targets() {
        return "endpoints";
    }
}
