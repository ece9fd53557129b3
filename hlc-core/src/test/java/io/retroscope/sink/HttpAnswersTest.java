// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Answers that no log server gives, and the headers of requests. */
class HttpAnswersTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Logger logger = Logger.getLogger("io.retroscope.sink");
  private final Lines lines = new Lines();
  private FakeLogServer server;

  private static final class Lines extends Handler {
    final List<String> texts = new CopyOnWriteArrayList<>();

    @Override
    public void publish(LogRecord entry) {
      texts.add(new SimpleFormatter().formatMessage(entry));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @BeforeEach
  void start() throws IOException {
    server = new FakeLogServer();
    logger.addHandler(lines);
  }

  @AfterEach
  void stop() {
    logger.removeHandler(lines);
    server.close();
  }

  private HttpSinkBuilder sink() {
    return HttpSink.builder()
        .server(server.uri())
        .backoff(Duration.ofMillis(5), Duration.ofMillis(50))
        .closeTimeout(Duration.ofMillis(300));
  }

  /**
   * Checks that the block is not treated as delivered and that the reason is logged; once the
   * answers are right, the block is delivered.
   */
  private void awaitComplaint(HttpSink sink, String... parts) {
    sink.accept(Blocks.block(1, 2, 10));
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(String.join("\n", lines.texts)).contains(parts));
    assertThat(sink.statistics().deliveredBlocks()).isZero();
    server.body = null;
    server.headers.clear();
    server.answer = batch -> 200;
    assertThat(sink.flush(PATIENCE)).isTrue();
    assertThat(server.numbers()).contains(1L);
    assertThat(sink.lostEventCount()).isZero();
  }

  @Test
  void answer_loginPage_isNoDelivery() {
    server.body = "<html>\n<title>Please log in</title>";
    try (HttpSink sink = sink().build()) {
      awaitComplaint(sink, "not a log server's answer: status 200: <html> <title>Please log in");
    }
  }

  @Test
  void answer_empty_isNoDelivery() {
    server.body = "";
    try (HttpSink sink = sink().build()) {
      awaitComplaint(sink, "not a log server's answer: status 200");
    }
  }

  @Test
  void answer_redirect_isReportedAndNotFollowed() {
    server.answer = batch -> 302;
    server.headers.put("Location", List.of("http://127.0.0.1:1/elsewhere"));
    try (HttpSink sink = sink().build()) {
      awaitComplaint(sink, "status 302: it redirects to http://127.0.0.1:1/elsewhere");
    }
  }

  @Test
  void answer_error_itsBodyIsReportedOnOneLine() {
    server.answer = batch -> 507;
    server.body = "{\n\"detail\":\"the disk\u0007 is full\"}" + "x".repeat(100_000);
    try (HttpSink sink = sink().build()) {
      awaitComplaint(sink, "status 507: { \"detail\":\"the disk is full\"}xxx");
    }
    assertThat(lines.texts).allMatch(line -> line.length() < 1_000);
  }

  @Test
  void answer_repeatsTheToken_itIsNotLogged() {
    server.answer = batch -> 401;
    server.body = "no such user: Bearer s3cret-token and x-key=an-api-key";
    try (HttpSink sink = sink().token("s3cret-token").header("x-key", "an-api-key").build()) {
      awaitComplaint(sink, "status 401: no such user: Bearer *** and x-key=***");
    }
    assertThat(server.authorizations).containsOnly("Bearer s3cret-token");
    assertThat(lines.texts).noneMatch(line -> line.contains("s3cret") || line.contains("an-api"));
  }

  /** An endless answer at full speed, from a server that does not read the request. */
  @Test
  void answer_neverEnds_isCutOffAtOnce() throws IOException {
    byte[] part = "x".repeat(65_536).getBytes(StandardCharsets.US_ASCII);
    List<Socket> sockets = new CopyOnWriteArrayList<>();
    AtomicLong sent = new AtomicLong();
    try (ServerSocket endless = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread thread = new Thread(() -> answerEndlessly(endless, sockets, part, sent), "endless");
      thread.setDaemon(true);
      thread.start();
      URI uri = URI.create("http://127.0.0.1:" + endless.getLocalPort());
      try (HttpSink sink = sink().server(uri).build()) {
        sink.accept(Blocks.block(1, 2, 10));
        await().atMost(PATIENCE).until(() -> sink.statistics().retries() >= 5);
        assertThat(sent.get() / 5)
            .as("taken of each answer, buffers included")
            .isLessThan(32 << 20);
      }
    }
    for (Socket socket : sockets) {
      socket.close();
    }
    assertThat(String.join("\n", lines.texts))
        .contains("not a log server's answer: status 200: xx");
  }

  private static void answerEndlessly(
      ServerSocket server, List<Socket> sockets, byte[] part, AtomicLong sent) {
    while (!server.isClosed()) {
      try {
        Socket socket = server.accept();
        sockets.add(socket);
        byte[] request = new byte[4_096];
        int length = socket.getInputStream().read(request);
        boolean post = new String(request, 0, length, StandardCharsets.US_ASCII).startsWith("POST");
        String head = "HTTP/1.1 " + (post ? "200 OK" : "404 Not Found\r\nContent-Length: 0");
        socket.getOutputStream().write((head + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        while (post) {
          socket.getOutputStream().write(part);
          sent.addAndGet(part.length);
        }
        socket.close();
      } catch (IOException e) {
        // The client has disconnected.
      }
    }
  }

  @Test
  void server_belowAPath_isSentTo() {
    try (HttpSink sink = sink().server(URI.create(server.uri() + "/base/path/")).build()) {
      sink.accept(Blocks.block(1, 2, 10));
      assertThat(sink.flush(PATIENCE)).isTrue();
    }
    assertThat(server.exchanges).contains("POST /base/path/v1/events");
  }

  @Test
  void proxy_set_getsTheRequests() {
    URI elsewhere = URI.create("http://log-server.invalid:7340");
    InetSocketAddress proxy =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
    try (HttpSink sink = sink().server(elsewhere).proxy(ProxySelector.of(proxy)).build()) {
      sink.accept(Blocks.block(1, 2, 10));
      assertThat(sink.flush(PATIENCE)).isTrue();
    }
    assertThat(server.exchanges).contains("POST http://log-server.invalid:7340/v1/events");
  }

  @Test
  void tokenFile_missing_isReportedByName() {
    try (HttpSink sink = sink().tokenFile(Path.of("no", "such", "file")).build()) {
      sink.accept(Blocks.block(1, 2, 10));
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(String.join("\n", lines.texts)).contains("no/such/file"));
    }
    assertThat(server.exchanges).isEmpty();
  }

  @Test
  void build_headerThatCannotBe_isRefusedWithoutItsValue() {
    HttpSinkBuilder builder = sink();
    assertThatThrownBy(() -> builder.header("x-key", "s3cret\nvalue"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("x-key")
        .hasMessageNotContaining("s3cret");
    assertThatThrownBy(() -> builder.header("host", "x")).hasMessageContaining("host");
    assertThatThrownBy(() -> builder.server(URI.create("ftp://user:pw@host")))
        .hasMessageContaining("ftp://host")
        .hasMessageNotContaining("pw");
  }

  @Test
  void sslContext_thatTrustsTheServer_isUsed(@TempDir Path directory) throws Exception {
    SSLContext context = selfSigned(directory.resolve("keys.p12"));
    HttpsServer secure =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    secure.setHttpsConfigurator(new HttpsConfigurator(context));
    secure.createContext("/", server::handle);
    secure.start();
    URI uri = URI.create("https://localhost:" + secure.getAddress().getPort());
    try (HttpSink trusting = sink().server(uri).sslContext(context).build();
        HttpSink doubting = sink().server(uri).build()) {
      trusting.accept(Blocks.block(1, 2, 10));
      assertThat(trusting.flush(PATIENCE)).isTrue();
      doubting.accept(Blocks.block(1, 2, 10));
      await().atMost(PATIENCE).until(() -> doubting.statistics().retries() > 0);
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(String.join("\n", lines.texts))
                      .contains(
                          "its certificate is not trusted: name the file of its authority in"
                              + " RETROSCOPE_CA"));
    } finally {
      secure.stop(0);
    }
  }

  private static SSLContext selfSigned(Path file) throws Exception {
    String[] command = {
      Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
      "-J-XX:TieredStopAtLevel=1",
      "-J-XX:+UseSerialGC",
      "-genkeypair",
      "-alias",
      "a",
      "-keyalg",
      "EC",
      "-dname",
      "CN=localhost",
      "-ext",
      "san=dns:localhost",
      "-storetype",
      "PKCS12",
      "-storepass",
      "changeit",
      "-keystore",
      file.toString()
    };
    assertThat(new ProcessBuilder(command).start().waitFor()).isZero();
    KeyStore keys = KeyStore.getInstance(file.toFile(), "changeit".toCharArray());
    KeyManagerFactory own = KeyManagerFactory.getInstance("PKIX");
    own.init(keys, "changeit".toCharArray());
    KeyStore certificates = KeyStore.getInstance("PKCS12");
    certificates.load(null, null);
    certificates.setCertificateEntry("a", keys.getCertificate("a"));
    TrustManagerFactory trusted = TrustManagerFactory.getInstance("PKIX");
    trusted.init(certificates);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(own.getKeyManagers(), trusted.getTrustManagers(), null);
    return context;
  }
}
