package io.retroscope.cli;

import io.retroscope.event.Event;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.json.EventConsumer;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.rql.json.NdjsonWriter;
import io.retroscope.rql.shell.ExitCode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Sends events to a log server in batches, each of which is stored whole or not at all. */
final class EventUpload implements EventConsumer {
  /** A batch is sent when it has grown to this; the server's limit is 64 MiB. */
  private static final int BATCH_CHARACTERS = 4 << 20;

  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration BATCH_TIMEOUT = Duration.ofMinutes(2);

  private final URI server;
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(CONNECT_TIMEOUT)
          .build();
  private final StringBuilder batch = new StringBuilder();
  private long acceptedCount;
  private long duplicateCount;

  EventUpload(URI server) {
    this.server = server;
  }

  @Override
  public void event(Event event) {
    add(NdjsonWriter.line(event));
  }

  @Override
  public void gap(Gap gap) {
    add(NdjsonWriter.line(gap));
  }

  /** A server takes it and keeps nothing of it: the import has shown it. */
  @Override
  public void warning(String sentence) {}

  private void add(String line) {
    batch.append(line).append('\n');
    if (batch.length() >= BATCH_CHARACTERS) {
      send();
    }
  }

  /** Sends what is left. */
  void finish() {
    if (!batch.isEmpty()) {
      send();
    }
  }

  /** Events that the server has stored. */
  long acceptedCount() {
    return acceptedCount;
  }

  /** Events that the server had already. */
  long duplicateCount() {
    return duplicateCount;
  }

  private void send() {
    HttpRequest request =
        HttpRequest.newBuilder(server.resolve("/v1/events"))
            .timeout(BATCH_TIMEOUT)
            .header("Content-Type", "application/x-ndjson")
            .POST(HttpRequest.BodyPublishers.ofString(batch.toString(), StandardCharsets.UTF_8))
            .build();
    batch.setLength(0);
    HttpResponse<String> response = answer(request);
    if (response.statusCode() != 200) {
      throw new CommandException(
          ExitCode.FAILED,
          reason(server, response.statusCode(), response.body()) + alreadyStored());
    }
    StructValue body = json(response.body());
    acceptedCount += number(body, "accepted");
    duplicateCount += number(body, "duplicates");
  }

  private HttpResponse<String> answer(HttpRequest request) {
    try {
      return http.send(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException(ExitCode.FAILED, "interrupted" + alreadyStored(), e);
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.CONNECTION_LOST,
          "no connection to %s: is the server running?%s".formatted(server, alreadyStored()),
          e);
    }
  }

  private String alreadyStored() {
    return acceptedCount == 0
        ? ""
        : " (%d events are stored already; sending them again does no harm)"
            .formatted(acceptedCount);
  }

  private static StructValue json(String text) {
    try {
      if (JsonValues.parse(text) instanceof StructValue object) {
        return object;
      }
    } catch (IllegalArgumentException e) {
      // Not the answer of a log server; its status says what there is to say.
    }
    return new StructValue(java.util.Map.of());
  }

  /** Why a server refused, from the problem that it answered with, if it is a log server. */
  static String reason(URI server, int status, String body) {
    return json(body).fields().get("detail") instanceof StringValue detail
        ? server + " refused: " + detail.value()
        : server + " answered with status " + status + ": is it a log server?";
  }

  private static long number(StructValue body, String name) {
    return body.fields().get(name) instanceof LongValue number ? number.value() : 0;
  }
}
