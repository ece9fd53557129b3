// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import io.retroscope.event.EventBlockCodec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.zip.GZIPOutputStream;

/** A small HTTP client for tests of the API. */
final class HttpProbe {
  static final String NDJSON = "application/x-ndjson";

  private final Supplier<URI> server;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  HttpProbe(URI server) {
    this(() -> server);
  }

  /** A client of the server that the extension runs at the time of each request. */
  HttpProbe(ServerExtension server) {
    this(server::uri);
  }

  private HttpProbe(Supplier<URI> server) {
    this.server = server;
  }

  record Reply(int status, String contentType, String body) {}

  Reply events(String ndjson) throws IOException, InterruptedException {
    return post("/v1/events", NDJSON, "", ndjson.getBytes(StandardCharsets.UTF_8));
  }

  Reply blocks(byte[] blocks) throws IOException, InterruptedException {
    return post("/v1/events", EventBlockCodec.CONTENT_TYPE, "", blocks);
  }

  Reply query(String rql) throws IOException, InterruptedException {
    return post("/v1/query", "application/rql", "", rql.getBytes(StandardCharsets.UTF_8));
  }

  Reply post(String path, String contentType, String contentEncoding, byte[] body)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.get().resolve(path))
            .timeout(Duration.ofSeconds(60))
            .header("Content-Type", contentType)
            .POST(HttpRequest.BodyPublishers.ofByteArray(body));
    if (!contentEncoding.isEmpty()) {
      request.header("Content-Encoding", contentEncoding);
    }
    return reply(http.send(request.build(), HttpResponse.BodyHandlers.ofString()));
  }

  Reply get(String path) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(server.get().resolve(path)).timeout(Duration.ofSeconds(60)).build();
    return reply(http.send(request, HttpResponse.BodyHandlers.ofString()));
  }

  /** Opens a stream; the caller reads and closes it. */
  InputStream stream(String rql, String lastEventId) throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
            server
                .get()
                .resolve("/v1/stream?query=" + URLEncoder.encode(rql, StandardCharsets.UTF_8)));
    if (!lastEventId.isEmpty()) {
      request.header("Last-Event-ID", lastEventId);
    }
    HttpResponse<InputStream> response =
        http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
    if (response.statusCode() != 200) {
      throw new IOException(
          "status "
              + response.statusCode()
              + ": "
              + new String(response.body().readAllBytes(), StandardCharsets.UTF_8));
    }
    return response.body();
  }

  private static Reply reply(HttpResponse<String> response) {
    return new Reply(
        response.statusCode(),
        response.headers().firstValue("Content-Type").orElse(""),
        response.body());
  }

  static byte[] gzip(byte[] content) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
      out.write(content);
    }
    return packed.toByteArray();
  }
}
