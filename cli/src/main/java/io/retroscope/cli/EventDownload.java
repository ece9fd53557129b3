package io.retroscope.cli;

import io.retroscope.event.Event;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.json.EventConsumer;
import io.retroscope.rql.json.NdjsonException;
import io.retroscope.rql.json.NdjsonReader;
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

/** Reads the events that a log server has stored. */
final class EventDownload {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
  private static final int MAX_PROBLEM_BYTES = 64 * 1024;

  private final URI server;

  EventDownload(URI server) {
    this.server = server;
  }

  /** Hands what is wanted to the consumer, events in the order of the stamps. */
  void read(EventSelection selection, EventConsumer consumer) throws IOException {
    String query = selection.asQuery();
    HttpResponse<InputStream> response =
        open(server.resolve("/v1/events" + (query.isEmpty() ? "" : "?" + query)));
    try (InputStream body = response.body()) {
      if (response.statusCode() != 200) {
        String problem = new String(body.readNBytes(MAX_PROBLEM_BYTES), StandardCharsets.UTF_8);
        throw new CommandException(
            ExitCode.FAILED, EventUpload.reason(server, response.statusCode(), problem));
      }
      NdjsonReader reader = new NdjsonReader(body, NdjsonReader.Limits.FILE);
      for (Optional<Event> event = next(reader); event.isPresent(); event = next(reader)) {
        consumer.event(event.get());
      }
      for (Gap gap : reader.gaps()) {
        consumer.gap(gap);
      }
    }
  }

  /** What cannot be read is the connection's fault; what cannot be written, the consumer's. */
  private Optional<Event> next(NdjsonReader reader) {
    try {
      return reader.next();
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.CONNECTION_LOST, "the connection to " + server + " broke", e);
    } catch (NdjsonException e) {
      if (e.field().equals("problem")) { // the last line, where the server could not go on
        throw new CommandException(
            ExitCode.FAILED, server + " failed in the middle of its answer; its log says why", e);
      }
      throw new CommandException(
          ExitCode.FAILED, "the answer of " + server + " cannot be read: " + e.getMessage(), e);
    }
  }

  private HttpResponse<InputStream> open(URI address) {
    HttpClient http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_TIMEOUT)
            .build();
    try {
      return http.send(
          HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofInputStream());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException(ExitCode.FAILED, "interrupted", e);
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.CONNECTION_LOST, "no connection to " + server + ": is the server running?", e);
    }
  }
}
