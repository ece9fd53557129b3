package io.retroscope.cli.connection;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.event.Event;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.client.ProblemException;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.json.EventConsumer;
import io.retroscope.rql.json.NdjsonWriter;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/**
 * An upload of events to a log server in batches, each of which is stored as a whole or not at all.
 */
public final class EventUpload implements EventConsumer {
  /** The size at which a batch is sent; the server's limit is 64 MiB. */
  private static final int BATCH_CHARACTERS = 4 << 20;

  private static final Duration BATCH_TIMEOUT = Duration.ofMinutes(2);

  private final ServerClient server;
  private final StringBuilder batch = new StringBuilder();
  private long acceptedCount;
  private long duplicateCount;

  public EventUpload(ServerClient server) {
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

  /** Does nothing, because a server ignores such lines and the import has printed them. */
  @Override
  public void incomplete(Incompleteness reason) {}

  private void add(String line) {
    batch.append(line).append('\n');
    if (batch.length() >= BATCH_CHARACTERS) {
      send();
    }
  }

  /** Sends the remaining events. */
  public void finish() {
    if (!batch.isEmpty()) {
      send();
    }
  }

  /** The number of events that the server already had. */
  public long duplicateCount() {
    return duplicateCount;
  }

  private void send() {
    HttpRequest.Builder request =
        server
            .request("/v1/events")
            .header("Content-Type", "application/x-ndjson")
            .POST(HttpRequest.BodyPublishers.ofString(batch.toString(), StandardCharsets.UTF_8));
    batch.setLength(0);
    StructValue answer;
    try {
      answer = server.fields(request, Optional.of(BATCH_TIMEOUT));
    } catch (CommandException e) {
      throw new CommandException(e.exitCode(), e.getMessage() + alreadyStored(), e);
    } catch (ProblemException e) {
      throw new CommandException(ExitCode.FAILED, e.getMessage() + alreadyStored(), e);
    }
    acceptedCount += number(answer, "accepted");
    duplicateCount += number(answer, "duplicates");
  }

  private String alreadyStored() {
    return acceptedCount == 0
        ? ""
        : " (%d events are stored already; sending them again does no harm)"
            .formatted(acceptedCount);
  }

  private static long number(StructValue body, String name) {
    return body.fields().get(name) instanceof LongValue number ? number.value() : 0;
  }
}
