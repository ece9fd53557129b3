// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.retroscope.recorder.Recorder;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.RqlClient;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.server.access.AccessOptions;
import io.retroscope.server.access.TlsFiles;
import io.retroscope.sink.Credentials;
import io.retroscope.sink.HttpSink;
import io.retroscope.sink.PemTls;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the server over HTTP/2, and over TLS with certificates from files. */
@Timeout(60)
class TlsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir static Path certificates;
  private static TestCertificate first;
  private static TestCertificate second;
  @TempDir Path directory;

  @BeforeAll
  static void make() throws Exception {
    first = TestCertificate.make(certificates, "first");
    second = TestCertificate.make(certificates, "second");
  }

  private LogServer start(AccessOptions access) {
    return LogServer.start(
        ServerConfig.in(directory.resolve("data")).port(0).access(access).build());
  }

  private static AccessOptions tls(TestCertificate own, Optional<Path> clients) {
    return new AccessOptions(
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        List.of(),
        false,
        Optional.of(new TlsFiles(own.certificate(), own.key(), clients)),
        Optional.empty());
  }

  private static HttpResponse<String> get(LogServer server, Version version, SSLContext trust)
      throws IOException, InterruptedException {
    HttpClient http = HttpClient.newBuilder().version(version).sslContext(trust).build();
    return http.send(
        HttpRequest.newBuilder(server.uri().resolve("/v1/logs")).timeout(PATIENCE).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private static SSLContext trusting(TestCertificate other) {
    return PemTls.context(other.certificate(), null, null);
  }

  @Test
  void plain_bothVersionsOfHttp_areSpoken() throws Exception {
    try (LogServer server = start(AccessOptions.DEFAULT)) {
      assertThat(get(server, Version.HTTP_2, SSLContext.getDefault()).version())
          .isEqualTo(Version.HTTP_2);
      assertThat(get(server, Version.HTTP_1_1, SSLContext.getDefault()).version())
          .isEqualTo(Version.HTTP_1_1);
    }
  }

  @Test
  void secure_bothVersionsOfHttp_areSpoken() throws Exception {
    try (LogServer server = start(tls(first, Optional.empty()))) {
      assertThat(server.uri().getScheme()).isEqualTo("https");
      HttpResponse<String> second = get(server, Version.HTTP_2, trusting(first));
      assertThat(second.version()).isEqualTo(Version.HTTP_2);
      assertThat(second.body()).isEqualTo("{\"logs\":[]}");
      assertThat(get(server, Version.HTTP_1_1, trusting(first)).version())
          .isEqualTo(Version.HTTP_1_1);
    }
  }

  @Test
  void secure_ourClients_trustTheAuthorityThatTheyWereGiven() throws Exception {
    try (LogServer server = start(tls(first, Optional.empty()))) {
      try (Recorder recorder =
          Recorder.builder()
              .node("a")
              .sink(HttpSink.builder().server(server.uri()).sslContext(trusting(first)).build())
              .build()) {
        recorder.log("l").set("x", 1);
        Credentials credentials =
            Credentials.of(Map.of("RETROSCOPE_CA", first.certificate().toString()));
        await()
            .atMost(PATIENCE)
            .ignoreException(RqlException.class)
            .until(() -> rows(new RqlClient(server.uri(), credentials)) == 1);
      }
      assertThatThrownBy(() -> rows(new RqlClient(server.uri())))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("its certificate is not trusted");
    }
  }

  private static int rows(RqlClient client) throws IOException {
    AtomicInteger count = new AtomicInteger();
    client.run(
        "SELECT x FROM l;",
        new RowSink() {
          @Override
          public boolean row(Row row) {
            return count.incrementAndGet() < 10;
          }

          @Override
          public void columns(List<Column> columns) {}

          @Override
          public void warning(String message) {}
        });
    return count.get();
  }

  @Test
  void secure_replacedCertificate_isShownWithoutARestart() throws Exception {
    Path folder = Files.createDirectory(directory.resolve("own"));
    TestCertificate own =
        new TestCertificate(folder.resolve("cert.pem"), folder.resolve("key.pem"));
    first.replace(own);
    try (LogServer server = start(tls(own, Optional.empty()))) {
      assertThat(get(server, Version.HTTP_1_1, trusting(first)).statusCode()).isEqualTo(200);
      // With the key of another certificate no connection would succeed.
      Files.write(own.certificate(), Files.readAllBytes(second.certificate()));
      assertThat(get(server, Version.HTTP_1_1, trusting(first)).statusCode()).isEqualTo(200);
      Files.write(own.key(), Files.readAllBytes(second.key()));

      await()
          .atMost(PATIENCE)
          .ignoreExceptions()
          .until(() -> get(server, Version.HTTP_1_1, trusting(second)).statusCode() == 200);
    }
  }

  @Test
  void mutual_clientWithoutCertificate_isNotLetIn() throws Exception {
    try (LogServer server = start(tls(first, Optional.of(second.certificate())))) {
      assertThatThrownBy(() -> get(server, Version.HTTP_1_1, trusting(first)))
          .isInstanceOf(IOException.class);
      SSLContext own = PemTls.context(first.certificate(), first.certificate(), first.key());
      assertThatThrownBy(() -> get(server, Version.HTTP_1_1, own)).isInstanceOf(IOException.class);

      SSLContext known = PemTls.context(first.certificate(), second.certificate(), second.key());
      assertThat(get(server, Version.HTTP_1_1, known).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void start_unusableFiles_areNamed() throws Exception {
    Path old = Files.writeString(directory.resolve("old.pem"), "-----BEGIN RSA PRIVATE KEY-----\n");

    assertThatThrownBy(
            () -> start(tls(new TestCertificate(first.certificate(), old), Optional.empty())))
        .isInstanceOf(ServerException.class)
        .hasMessageContaining("openssl pkcs8 -topk8 -nocrypt -in " + old);
    assertThatThrownBy(
            () ->
                start(
                    tls(new TestCertificate(first.certificate(), second.key()), Optional.empty())))
        .isInstanceOf(ServerException.class)
        .hasMessageContaining("is not the key of the certificate in " + first.certificate());
    Path none = directory.resolve("none.pem");
    assertThatThrownBy(() -> start(tls(new TestCertificate(none, first.key()), Optional.empty())))
        .isInstanceOf(ServerException.class)
        .hasMessageContaining(none.toString());
    // The port and the directory have been released.
    start(tls(first, Optional.empty())).close();
  }
}
