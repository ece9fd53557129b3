// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.connection;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.client.ProblemException;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.Incompleteness.AfterEnd;
import io.retroscope.rql.cut.Incompleteness.Extent;
import io.retroscope.rql.json.EventConsumer;
import io.retroscope.rql.json.NdjsonWriter;
import io.retroscope.rql.json.StatedExtent;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An upload of events to a log server in batches, each of which is stored as a whole or not at all.
 */
public final class EventUpload implements EventConsumer {
  /** The size at which a batch is sent; the server's limit is 64 MiB. */
  private static final int BATCH_CHARACTERS = 4 << 20;

  private static final long BETWEEN_LOOKS_MILLIS = 100;

  private static final Duration BATCH_TIMEOUT = Duration.ofMinutes(2);

  private final ServerClient server;
  private final StringBuilder batch = new StringBuilder();
  private final StatedExtent extent = new StatedExtent();
  private final Map<String, String> starts = new HashMap<>();

  /** The nodes of which the batch has the latest start. */
  private final Set<String> begun = new HashSet<>();

  private long repeatedCount;
  private long acceptedCount;
  private long duplicateCount;

  public EventUpload(ServerClient server) {
    this.server = server;
  }

  /** Begins another input, in which other runs of nodes may be. */
  public void beginInput() {
    starts.clear();
  }

  /**
   * A batch begins the runs that it continues: the server does not know which batches belong
   * together.
   */
  @Override
  public void event(Event event) {
    extent.add(event.node(), event.hlc());
    String line = NdjsonWriter.line(event);
    if (event.body() instanceof EventBody.Start) {
      starts.put(event.node(), line);
      begun.add(event.node());
    } else if (starts.containsKey(event.node()) && begun.add(event.node())) {
      add(starts.get(event.node()));
      repeatedCount++;
    }
    add(line);
  }

  @Override
  public void gap(Gap gap) {
    add(NdjsonWriter.line(gap));
  }

  /** Does nothing: {@link #declare} sends the reasons of an input before its events. */
  @Override
  public void incomplete(Incompleteness reason) {}

  /** Sends a reason why the events that follow may be incomplete. */
  public void declare(Incompleteness reason) {
    add(NdjsonWriter.line(reason));
  }

  private void add(String line) {
    batch.append(line).append('\n');
    if (batch.length() >= BATCH_CHARACTERS) {
      send();
    }
  }

  /** Sends the remaining events, and that nothing is known after them. */
  public void finish() {
    Extent sent = extent.extent();
    if (!sent.equals(Extent.ALL)) {
      declare(AfterEnd.ofRecording(sent));
    }
    if (!batch.isEmpty()) {
      send();
    }
  }

  /**
   * Waits until queries of the past have all events that were sent, at most for some time: a server
   * waits for nodes that have just sent something.
   *
   * @return whether they have
   */
  public boolean awaitQueryable(Duration atMost) throws InterruptedException {
    long end = System.nanoTime() + atMost.toNanos();
    while (!isQueryable()) {
      if (System.nanoTime() >= end) {
        return false;
      }
      Thread.sleep(BETWEEN_LOOKS_MILLIS);
    }
    return true;
  }

  private boolean isQueryable() {
    Extent sent = extent.extent();
    Map<String, Value> status = server.fields("/v1/nodes", Optional.empty()).fields();
    boolean isPassed =
        status.get("watermark") instanceof StringValue watermark
            && HlcTimestamp.parse(watermark.value()) >= sent.range().to();
    return sent.equals(Extent.ALL) || isPassed || !isAnyLive(status.get("nodes"));
  }

  /** Whether the watermark is that of a node, and not the last stored stamp. */
  private static boolean isAnyLive(@Nullable Value nodes) {
    return nodes instanceof SetValue all
        && all.elements().stream()
            .flatMap(node -> elements(node, "incarnations"))
            .anyMatch(run -> Value.of("live").equals(run.fields().get("state")));
  }

  private static Stream<StructValue> elements(Value node, String name) {
    return node instanceof StructValue struct && struct.fields().get(name) instanceof SetValue set
        ? set.elements().stream().filter(StructValue.class::isInstance).map(StructValue.class::cast)
        : Stream.empty();
  }

  /** The number of events that the server already had. */
  public long duplicateCount() {
    return Math.max(0, duplicateCount - repeatedCount);
  }

  private void send() {
    HttpRequest.Builder request =
        server
            .request("/v1/events")
            .header("Content-Type", "application/x-ndjson")
            .POST(HttpRequest.BodyPublishers.ofString(batch.toString(), StandardCharsets.UTF_8));
    batch.setLength(0);
    begun.clear();
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
