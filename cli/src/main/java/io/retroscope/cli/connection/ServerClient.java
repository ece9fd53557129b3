package io.retroscope.cli.connection;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.client.InterruptibleBody;
import io.retroscope.rql.client.RqlClient;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.sink.Credentials;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** A log server, and the credentials that commands send to it. Thread-safe. */
public final class ServerClient {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
  private static final int MAX_PROBLEM_BYTES = 64 * 1024;

  private final URI address;
  private final Credentials credentials;
  private final HttpClient http;

  public ServerClient(URI address, Credentials credentials) {
    this.address = address;
    this.credentials = credentials;
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_TIMEOUT);
    credentials.sslContext().ifPresent(builder::sslContext);
    http = builder.build();
  }

  /** A request for a path. */
  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(address.resolve(path));
  }

  /** A client for statements. */
  public RqlClient rql() {
    return new RqlClient(address, credentials);
  }

  /**
   * The answer to a GET, as a stream.
   *
   * @param query encoded, without the question mark; may be empty
   * @throws CommandException if there is no connection, or the server refuses
   */
  public InputStream open(String path, String query) throws IOException {
    return open(path, query, Optional.empty());
  }

  /**
   * The answer to a GET, as a stream.
   *
   * @param longestSilence after which a read of the answer fails; empty for no limit
   */
  InputStream open(String path, String query, Optional<Duration> longestSilence)
      throws IOException {
    HttpResponse<InputStream> response =
        send(
            request(query.isEmpty() ? path : path + "?" + query),
            info -> new InterruptibleBody(longestSilence));
    if (response.statusCode() == 200) {
      return response.body();
    }
    try (InputStream body = response.body()) {
      String problem = new String(body.readNBytes(MAX_PROBLEM_BYTES), StandardCharsets.UTF_8);
      throw new CommandException(ExitCode.FAILED, reason(response.statusCode(), problem));
    }
  }

  /**
   * The fields of the answer to a request.
   *
   * @param body JSON to POST; empty for a GET
   * @throws CommandException if there is no connection, or the server refuses
   */
  public StructValue ask(String path, Optional<String> body) {
    HttpRequest.Builder request = request(path);
    body.ifPresent(
        json ->
            request
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json, StandardCharsets.UTF_8)));
    HttpResponse<String> response = send(request, HttpResponse.BodyHandlers.ofString());
    if (response.statusCode() != 200) {
      throw new CommandException(ExitCode.FAILED, reason(response.statusCode(), response.body()));
    }
    return json(response.body());
  }

  /**
   * Sends a request with the credentials.
   *
   * @throws CommandException if there is no connection
   */
  <T> HttpResponse<T> send(HttpRequest.Builder request, HttpResponse.BodyHandler<T> body) {
    try {
      credentials.headers().forEach(request::setHeader);
    } catch (IOException e) {
      throw new CommandException(ExitCode.FAILED, String.valueOf(e.getMessage()), e);
    }
    try {
      return http.send(request.build(), body);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException(ExitCode.FAILED, "interrupted", e);
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.CONNECTION_LOST,
          "no connection to %s: %s".formatted(address, RqlClient.guess(e)),
          e);
    }
  }

  /** The fields of an answer; none if it is not the answer of a log server. */
  static StructValue json(String text) {
    try {
      if (JsonValues.parse(text) instanceof StructValue object) {
        return object;
      }
    } catch (IllegalArgumentException e) {
      // The caller reports the status instead.
    }
    return new StructValue(Map.of());
  }

  /** The server's reason for a refusal, from its problem document if it is a log server. */
  String reason(int status, String body) {
    return json(body).fields().get("detail") instanceof StringValue detail
        ? address + " refused: " + detail.value()
        : address + " answered with status " + status + ": is it a log server?";
  }

  /** The server's address. */
  @Override
  public String toString() {
    return address.toString();
  }
}
