// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.alert;

import io.retroscope.sink.PemTls;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * A sender of requests to one address. It follows no redirect, so that neither a message nor a
 * token reaches another host, and verifies certificates as the JVM does. Thread-safe.
 */
final class HttpSender {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int SUCCESS = 2;

  private final URI uri;
  private final Optional<String> token;
  private final HttpClient client;

  /**
   * Creates a sender.
   *
   * @param token sent as {@code Authorization: Bearer}
   * @param authorities the certificates that the receiver's must be signed by; without them, those
   *     that the JVM trusts
   */
  HttpSender(URI uri, Optional<String> token, Optional<Path> authorities) {
    this.uri = uri;
    this.token = token;
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(PATIENCE);
    authorities.ifPresent(file -> builder.sslContext(PemTls.context(file, null, null)));
    this.client = builder.build();
  }

  /**
   * Sends JSON and waits for the answer.
   *
   * @param key for the header {@code Idempotency-Key}; empty for none
   * @throws IOException if it is not accepted; the message contains no secret
   */
  void send(String json, String key) throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri)
            .timeout(PATIENCE)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(json));
    token.ifPresent(secret -> request.header("Authorization", "Bearer " + secret));
    if (!key.isEmpty()) {
      request.header("Idempotency-Key", printable(key));
    }
    HttpResponse<Void> response;
    try {
      response = client.send(request.build(), HttpResponse.BodyHandlers.discarding());
    } catch (IOException e) {
      throw new IOException("cannot reach %s: %s".formatted(host(), reason(e)), e);
    }
    if (response.statusCode() / 100 != SUCCESS) {
      throw new IOException("%s answered %d".formatted(host(), response.statusCode()));
    }
  }

  private static String reason(IOException e) {
    return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
  }

  /** The host and the port, without the path, which may be a secret. */
  String host() {
    return uri.getHost() + (uri.getPort() < 0 ? "" : ":" + uri.getPort());
  }

  /** A header takes only visible ASCII. */
  private static String printable(String key) {
    StringBuilder text = new StringBuilder();
    key.chars()
        .forEach(
            c -> {
              if (c > ' ' && c < 0x7f && c != '%') {
                text.append((char) c);
              } else {
                text.append("%%%04x".formatted(c));
              }
            });
    return text.toString();
  }
}
