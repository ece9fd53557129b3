// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.sound;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.retroscope.cli.connection.ServerClient;
import io.retroscope.rql.client.ServerConnection;
import io.retroscope.sink.Credentials;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AlertListeningTest {
  private final StringWriter text = new StringWriter();

  private AlertListening listening(int port) {
    return listening(port, System::nanoTime);
  }

  private AlertListening listening(int port, LongSupplier nanos) {
    ServerClient server =
        new ServerClient(
            new ServerConnection(URI.create("http://127.0.0.1:" + port), Credentials.NONE));
    return new AlertListening(server, Optional.empty(), false, nanos, new PrintWriter(text));
  }

  private static HttpServer server(int status, String type, String body) throws IOException {
    HttpServer http =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    http.createContext(
        "/",
        exchange -> {
          byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().set("Content-Type", type);
          exchange.sendResponseHeaders(status, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
    http.start();
    return http;
  }

  private static String alert(String state, String health) {
    return "{\"alerts\":[{\"alert\":\"far\",\"state\":\"%s\",\"severity\":\"page\",\"episode\":\"far@1795200000200000.0\",\"health\":\"%s\"}]}"
        .formatted(state, health);
  }

  @Test
  void follow_aServerThatRefuses_soundsTheLoss() throws Exception {
    HttpServer http =
        server(
            503,
            "application/problem+json",
            "{\"title\":\"busy\",\"status\":503,\"detail\":\"busy\"}");
    try {
      listening(http.getAddress().getPort()).follow(Optional.of(Duration.ofMillis(50)));
    } finally {
      http.stop(0);
    }
    assertThat(text.toString()).contains("no answer from the server", "busy");
  }

  @Test
  void follow_aServerThatDoesNotRespond_soundsTheLoss() throws Exception {
    try (ServerSocket frozen = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      listening(frozen.getLocalPort()).follow(Optional.of(Duration.ofMillis(50)));
    }
    assertThat(text.toString()).contains("it does not respond");
  }

  @Test
  void follow_anEvaluatedAlert_isQuiet() throws Exception {
    HttpServer http = server(200, "application/json", alert("inactive", "ok"));
    try {
      listening(http.getAddress().getPort()).follow(Optional.of(Duration.ofMillis(50)));
    } finally {
      http.stop(0);
    }
    assertThat(text.toString().lines()).containsExactly("all is quiet: 1 alert is evaluated");
  }

  /** The stopwatch is so fast that the sound is repeated often during the first look. */
  @Test
  void follow_anAlertThatSounds_isListedOnce() throws Exception {
    HttpServer http = server(200, "application/json", alert("firing", "ok"));
    try {
      listening(http.getAddress().getPort(), () -> 1_000 * System.nanoTime())
          .follow(Optional.of(Duration.ofSeconds(100)));
    } finally {
      http.stop(0);
    }
    assertThat(text.toString().lines())
        .containsExactly("> SOUNDS   page     far@1795200000200000.0, since 2026-11-20T18:40:00Z");
  }

  @Test
  void follow_anEpisodeWithoutAStamp_soundsAsOthersDo() throws Exception {
    HttpServer http =
        server(200, "application/json", alert("firing", "ok").replace("@1795200000200000.0", ""));
    try {
      listening(http.getAddress().getPort()).follow(Optional.of(Duration.ofMillis(50)));
    } finally {
      http.stop(0);
    }
    assertThat(text.toString().lines()).containsExactly("> SOUNDS   page     far");
  }

  @Test
  void follow_anAlertWithoutAllNodes_isNotQuiet() throws Exception {
    HttpServer http = server(200, "application/json", alert("inactive", "partial: n3 silent"));
    try {
      listening(http.getAddress().getPort()).follow(Optional.of(Duration.ofMillis(50)));
    } finally {
      http.stop(0);
    }
    assertThat(text.toString()).contains("far: partial: n3 silent").doesNotContain("all is quiet");
  }

  @Test
  void acknowledge_thatIsRefused_isSaid() throws Exception {
    HttpServer http = server(200, "application/json", alert("firing", "ok"));
    AlertListening listening = listening(http.getAddress().getPort());
    try {
      listening.follow(Optional.of(Duration.ofMillis(50)));
      http.removeContext("/");
      listening.acknowledge();
    } finally {
      http.stop(0);
    }
    assertThat(text.toString()).contains("> SOUNDS", "not done: ");
  }

  @Test
  void keys_withoutASound_answerThatNothingSounds() throws Exception {
    HttpServer http = server(200, "application/json", alert("inactive", "ok"));
    AlertListening listening = listening(http.getAddress().getPort());
    try {
      listening.follow(Optional.of(Duration.ofMillis(50)));
      text.getBuffer().setLength(0);
      listening.acknowledge();
      listening.mute();
      listening.next();
      listening.explainKeys();
    } finally {
      http.stop(0);
    }
    assertThat(text.toString().lines())
        .containsExactly(
            "nothing sounds that can be acknowledged; the pulses of what is over end",
            "nothing sounds that can be muted",
            "nothing sounds",
            "keys, each followed by Enter: a acknowledges what is marked with >, m mutes it for an"
                + " hour, n marks the next");
  }

  /** Another episode of the alert may hold by then, which nobody has seen. */
  @Test
  void acknowledge_isOfTheMarkedEpisodeOnly() throws Exception {
    AtomicReference<String> sent = new AtomicReference<>("");
    HttpServer http = server(200, "application/json", alert("firing", "ok"));
    http.createContext(
        "/v1/alerts/acknowledge",
        exchange -> {
          sent.set(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
          byte[] none = "{\"acknowledged\":[]}".getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().set("Content-Type", "application/json");
          exchange.sendResponseHeaders(200, none.length);
          exchange.getResponseBody().write(none);
          exchange.close();
        });
    AlertListening listening = listening(http.getAddress().getPort());
    try {
      listening.follow(Optional.of(Duration.ofMillis(50)));
      listening.acknowledge();
    } finally {
      http.stop(0);
    }
    assertThat(sent.get()).contains("\"episode\":\"far");
    assertThat(text.toString()).contains(" does not hold any more").doesNotContain("acknowledged");
  }
}
