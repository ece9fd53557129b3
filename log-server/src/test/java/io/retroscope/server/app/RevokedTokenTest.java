// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.server.access.AccessOptions;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that replacing a token ends the answers and connections that it opened. */
@Timeout(60)
class RevokedTokenTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String TOKEN = "0123456789abcdef0123456789abcdef";
  private static final String OTHER = "fedcba9876543210fedcba9876543210";
  private static final String ENDED = "The token is no longer valid";
  private static final String ROLES = "web read,write ";

  @TempDir Path directory;
  private final List<RawConnection> connections = new ArrayList<>();
  private LogServer server;

  @BeforeEach
  void start() throws IOException {
    AccessOptions access = AccessOptions.DEFAULT.withTokenFile(tokens(ROLES + TOKEN));
    server =
        LogServer.start(ServerConfig.in(directory.resolve("data")).port(0).access(access).build());
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 5_000; i++) {
      lines.append(
          "{\"node\":\"a\",\"log\":\"load\",\"hlc\":%d,\"set\":{\"x\":%d}}\n"
              .formatted(1_795_200_000_000_000L + i, i));
    }
    assertThat(
            new RawHttp(server.port())
                .send(
                    "POST",
                    "/v1/events",
                    lines.toString(),
                    "Content-Type: application/x-ndjson",
                    "Authorization: Bearer " + TOKEN)
                .status())
        .isEqualTo(200);
  }

  @AfterEach
  void stop() throws IOException {
    for (RawConnection connection : connections) {
      connection.close();
    }
    server.close();
  }

  private Path tokens(String text) throws IOException {
    Path file = Files.writeString(directory.resolve("tokens"), text + "\n");
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  /** The answer to a request, once it has ended. */
  private CompletableFuture<String> ask(String requestLine, String body, String token)
      throws IOException {
    RawConnection connection = new RawConnection(server.uri());
    connections.add(connection);
    connection.send(
        "%s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nAuthorization: Bearer %s\r\n"
                .formatted(requestLine, token)
            + "Content-Type: application/rql\r\nContent-Length: %d\r\n\r\n".formatted(body.length())
            + body);
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return connection.rest();
          } catch (IOException e) {
            return String.valueOf(e);
          }
        },
        task -> new Thread(task, "reader").start());
  }

  private static String stream(String statement, String more) {
    return "GET /v1/stream?query=" + URLEncoder.encode(statement, StandardCharsets.UTF_8) + more;
  }

  private CompletableFuture<Integer> socket(String token) {
    CompletableFuture<Integer> closeCode = new CompletableFuture<>();
    WebSocket unused =
        HttpClient.newHttpClient()
            .newWebSocketBuilder()
            .header("Authorization", "Bearer " + token)
            .buildAsync(
                URI.create("ws://127.0.0.1:" + server.port() + "/v1/events/socket"),
                new WebSocket.Listener() {
                  @Override
                  public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
                    closeCode.complete(code);
                    return null;
                  }
                })
            .join();
    return closeCode;
  }

  @Test
  void replacedToken_endsWhatItOpened() throws Exception {
    String follow = "SELECT STREAM x FROM load";
    List<CompletableFuture<String>> answers = new ArrayList<>();
    answers.add(ask(stream(follow, ""), "", TOKEN));
    answers.add(ask(stream(follow, "&form=result"), "", TOKEN));
    answers.add(ask("GET /v1/lines?follow=true", "", TOKEN));
    answers.add(ask("POST /v1/query", ClumsyTrafficTest.MONSTROUS, TOKEN));
    CompletableFuture<Integer> socket = socket(TOKEN);
    awaitRunning(2, 1, 1, 1);

    tokens(ROLES + OTHER);

    for (CompletableFuture<String> answer : answers) {
      assertThat(answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
          .contains("\"status\":401", ENDED);
    }
    assertThat(socket.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(1008);
    awaitRunning(0, 0, 0, 0);
  }

  /** A rotation does not end the streams of an unchanged token. */
  @Test
  void otherToken_thatStays_keepsItsStreams() throws Exception {
    tokens(ROLES + TOKEN + "\nold read " + OTHER);
    await().atMost(PATIENCE).until(() -> !metrics(OTHER).contains("\"status\":401"));
    CompletableFuture<String> kept = ask(stream("SELECT STREAM x FROM load", ""), "", TOKEN);
    CompletableFuture<String> ended = ask(stream("SELECT STREAM x FROM load", ""), "", OTHER);
    awaitRunning(2, 0, 0, 0);

    tokens(ROLES + TOKEN);

    assertThat(ended.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).contains(ENDED);
    assertThat(kept).isNotDone();
    awaitRunning(1, 0, 0, 0);
  }

  private String metrics(String token) throws IOException {
    return new RawHttp(server.port())
        .send("GET", "/metrics", "", "Authorization: Bearer " + token)
        .text();
  }

  /** Uses both tokens, because one of them is valid. */
  private void awaitRunning(int streams, int lines, int queries, int sockets) {
    AtomicBoolean first = new AtomicBoolean();
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              String text = metrics(first.getAndSet(!first.get()) ? TOKEN : OTHER);
              assertThat(text)
                  .contains(
                      "retroscope_streams_running " + streams + ".0\n",
                      "retroscope_lines_running " + lines + ".0\n",
                      "retroscope_queries_running " + queries + ".0\n",
                      "retroscope_sockets_open " + sockets + ".0\n");
            });
  }
}
