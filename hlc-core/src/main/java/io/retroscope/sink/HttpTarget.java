// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The log server that a sink sends to, with its addresses and credentials. Used by one thread. */
final class HttpTarget {
  private static final String PATH = "/v1/events";

  /** Anything shorter is not a secret, and would match parts of ordinary words. */
  private static final int MIN_SECRET_LENGTH = 6;

  final URI events;
  final URI socket;
  final HttpClient client;
  private final Map<String, String> headers;
  private final @Nullable BearerToken token;

  HttpTarget(HttpSinkBuilder builder) {
    events = under(builder.server, builder.server.getScheme(), PATH);
    boolean secure = "https".equals(events.getScheme());
    socket = under(builder.server, secure ? "wss" : "ws", PATH + "/socket");
    headers = Map.copyOf(builder.headers);
    token = builder.token;
    HttpClient.Builder http = HttpClient.newBuilder().connectTimeout(builder.requestTimeout);
    if (builder.sslContext != null) {
      http.sslContext(builder.sslContext);
    }
    if (builder.proxy != null) {
      http.proxy(builder.proxy);
    }
    client = http.build();
  }

  /**
   * An address below the server's, whose own path may be non-empty; without user, query, fragment.
   */
  private static URI under(URI server, String scheme, String path) {
    String base = server.getPath() == null ? "" : server.getPath().replaceAll("/+$", "");
    try {
      return new URI(
          scheme.toLowerCase(Locale.ROOT),
          null,
          server.getHost(),
          server.getPort(),
          base + path,
          null,
          null);
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("not an address of a log server: " + server.getHost(), e);
    }
  }

  /**
   * The headers of every request.
   *
   * @throws IOException if the configured token is missing; the message gives the reason
   */
  Map<String, String> headers() throws IOException {
    if (token == null) {
      return headers;
    }
    Map<String, String> all = new LinkedHashMap<>(headers);
    all.put("Authorization", "Bearer " + token.value());
    return all;
  }

  /**
   * The text without the values of headers, because a response is logged and may repeat the
   * request.
   */
  static String redacted(String text, Map<String, String> headers) {
    String redacted = text;
    for (String value : headers.values()) {
      String secret = value.substring(value.lastIndexOf(' ') + 1);
      if (secret.length() >= MIN_SECRET_LENGTH) {
        redacted = redacted.replace(secret, "***");
      }
    }
    return redacted;
  }
}
