// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.connection;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.client.Reconnect;
import io.retroscope.rql.client.RqlClient;
import io.retroscope.rql.client.ServerConnection;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/**
 * Requests of commands to a log server. A failure of the connection ends the command with its exit
 * code; a refusal is a {@code ProblemException}. Thread-safe.
 */
public final class ServerClient {
  private final ServerConnection connection;

  /** Creates a client that uses a connection. */
  public ServerClient(ServerConnection connection) {
    this.connection = connection;
  }

  /** Returns a client for statements. */
  public RqlClient rql() {
    return new RqlClient(connection);
  }

  /** Returns a client for STREAMs that waits for a lost server, however long it takes. */
  public RqlClient patient() {
    return new RqlClient(connection, Reconnect.PATIENT);
  }

  /** Returns a request for a path, which may have an encoded query. */
  HttpRequest.Builder request(String path) {
    return connection.request(path);
  }

  /**
   * Returns the body of the response to a GET, as it arrives.
   *
   * @param query encoded, without the question mark; may be empty
   */
  InputStream open(String path, String query) {
    try {
      return open(path, query, Optional.empty());
    } catch (IOException e) {
      throw lost(e);
    }
  }

  /**
   * Like {@link #open(String, String)}, but throws the failure of the connection.
   *
   * @param longestSilence the time without data after which a read fails; empty for no limit
   */
  InputStream open(String path, String query, Optional<Duration> longestSilence)
      throws IOException {
    String target = query.isEmpty() ? path : path + "?" + query;
    return connection.open(request(target), longestSilence).body();
  }

  /**
   * Returns the fields of the response to a request.
   *
   * @param body JSON to POST; empty for a GET
   */
  public StructValue fields(String path, Optional<String> body) {
    return fields(path, body, Optional.empty());
  }

  /**
   * Like {@link #fields(String, Optional)}, and waits a limited time.
   *
   * @param longestSilence the time without data after which the connection counts as lost; empty
   *     for no limit
   */
  public StructValue fields(String path, Optional<String> body, Optional<Duration> longestSilence) {
    HttpRequest.Builder request = request(path);
    body.ifPresent(
        json ->
            request
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json, StandardCharsets.UTF_8)));
    return fields(request, longestSilence);
  }

  /** Returns the fields of the response to a request, for which it waits a limited time. */
  StructValue fields(HttpRequest.Builder request, Optional<Duration> longestSilence) {
    try {
      return ServerConnection.object(connection.text(request, longestSilence));
    } catch (IOException e) {
      throw lost(e);
    }
  }

  /** Returns the end of a command whose connection failed or was interrupted. */
  static CommandException lost(IOException failure) {
    if (failure instanceof InterruptedIOException) {
      Thread.currentThread().interrupt();
      return new CommandException(ExitCode.FAILED, "interrupted", failure);
    }
    return new CommandException(
        ExitCode.CONNECTION_LOST, String.valueOf(failure.getMessage()), failure);
  }

  /** The server's address. */
  @Override
  public String toString() {
    return connection.toString();
  }
}
