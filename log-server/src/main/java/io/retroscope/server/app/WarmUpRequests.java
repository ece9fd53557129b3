// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/**
 * Requests of a server to itself during its {@link WarmUp}, so that the code before and after a
 * query is loaded: those of a caller without a token and over plain HTTP, which no guarded server
 * answers.
 */
final class WarmUpRequests {
  private static final int COUNT = 40;
  private static final int TIMEOUT_MILLIS = 10_000;
  private static final byte[] QUERY = "SHOW QUERIES;".getBytes(StandardCharsets.UTF_8);

  private WarmUpRequests() {}

  /** Sends the requests, one after the other. */
  static void send(URI server) throws IOException {
    for (int i = 0; i < COUNT; i++) {
      send((HttpURLConnection) server.resolve("/v1/query").toURL().openConnection(Proxy.NO_PROXY));
    }
  }

  private static void send(HttpURLConnection request) throws IOException {
    request.setConnectTimeout(TIMEOUT_MILLIS);
    request.setReadTimeout(TIMEOUT_MILLIS);
    request.setRequestMethod("POST");
    request.setRequestProperty("Content-Type", "application/rql");
    request.setDoOutput(true);
    try (OutputStream body = request.getOutputStream()) {
      body.write(QUERY);
    }
    try (InputStream answer = request.getInputStream()) {
      answer.transferTo(OutputStream.nullOutputStream());
    }
  }
}
