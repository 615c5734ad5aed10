package dev.berth.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.JdkSslContext;
import io.vertx.core.Vertx;
import io.vertx.core.net.JdkSSLEngineOptions;
import io.vertx.core.spi.tls.SslContextFactory;
import io.vertx.ext.web.client.WebClientOptions;
import java.security.GeneralSecurityException;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;

class ApiHttpClientTest {
    @Test
    void chaCha20_isOfferedFirst_andAesAfterIt_withTheClientsOwnCertificates()
            throws GeneralSecurityException, SSLException {
        SSLContext certificates = SSLContext.getDefault();
        WebClientOptions options = new WebClientOptions().setSslEngineOptions(new JdkSSLEngineOptions() {
            @Override
            public SslContextFactory sslContextFactory() {
                return () -> new JdkSslContext(certificates, true, ClientAuth.NONE);
            }
        });
        Vertx vertx = Vertx.vertx();
        try {
            new ApiHttpClient(vertx).additionalConfig(options);
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }

        JdkSslContext context = (JdkSslContext)
                options.getSslEngineOptions().copy().sslContextFactory().create();

        assertThat(context.context()).isSameAs(certificates);
        assertThat(context.cipherSuites())
                .startsWith("TLS_CHACHA20_POLY1305_SHA256")
                .containsAll(List.of("TLS_AES_128_GCM_SHA256", "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"));
    }
}
