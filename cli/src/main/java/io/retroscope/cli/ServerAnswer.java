package io.retroscope.cli;

import io.retroscope.rql.client.InterruptibleBody;
import io.retroscope.rql.shell.ExitCode;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/** What a log server answers to a GET, as it comes. */
final class ServerAnswer {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
  private static final int MAX_PROBLEM_BYTES = 64 * 1024;

  private ServerAnswer() {}

  /**
   * Asks for a path.
   *
   * @param query encoded, without the question mark; may be empty
   * @throws CommandException if there is no connection, or the server refuses
   */
  static InputStream open(URI server, String path, String query) throws IOException {
    return open(server, path, query, Optional.empty());
  }

  /**
   * Asks for a path.
   *
   * @param longestSilence after which a read of the answer fails; empty to wait for ever
   */
  static InputStream open(URI server, String path, String query, Optional<Duration> longestSilence)
      throws IOException {
    URI address = server.resolve(query.isEmpty() ? path : path + "?" + query);
    return open(server, HttpRequest.newBuilder(address).build(), longestSilence);
  }

  /**
   * Sends JSON to a path.
   *
   * @throws CommandException if there is no connection, or the server refuses
   */
  static InputStream post(URI server, String path, String json) throws IOException {
    HttpRequest request =
        HttpRequest.newBuilder(server.resolve(path))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(json, StandardCharsets.UTF_8))
            .build();
    return open(server, request, Optional.empty());
  }

  private static InputStream open(
      URI server, HttpRequest request, Optional<Duration> longestSilence) throws IOException {
    HttpResponse<InputStream> response =
        send(server, request, info -> new InterruptibleBody(longestSilence));
    if (response.statusCode() == 200) {
      return response.body();
    }
    try (InputStream body = response.body()) {
      String problem = new String(body.readNBytes(MAX_PROBLEM_BYTES), StandardCharsets.UTF_8);
      throw new CommandException(
          ExitCode.FAILED, EventUpload.reason(server, response.statusCode(), problem));
    }
  }

  private static HttpResponse<InputStream> send(
      URI server, HttpRequest request, HttpResponse.BodyHandler<InputStream> body) {
    HttpClient http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_TIMEOUT)
            .build();
    try {
      return http.send(request, body);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException(ExitCode.FAILED, "interrupted", e);
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.CONNECTION_LOST, "no connection to " + server + ": is the server running?", e);
    }
  }
}
