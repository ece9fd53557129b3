// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.connection;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.event.Event;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.json.EventConsumer;
import io.retroscope.rql.json.NdjsonException;
import io.retroscope.rql.json.NdjsonReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.Optional;

/** A reader of the events that a log server has stored. */
public final class EventDownload {
  private final ServerClient server;

  public EventDownload(ServerClient server) {
    this.server = server;
  }

  /**
   * Passes events to the consumer, in the order of their stamps.
   *
   * @param query the parameters that select events, encoded; empty for all events
   */
  public void read(String query, EventConsumer consumer) throws IOException {
    try (InputStream body = server.open("/v1/events", query)) {
      NdjsonReader reader = new NdjsonReader(body, NdjsonReader.Limits.FILE);
      for (Optional<Event> event = next(reader); event.isPresent(); event = next(reader)) {
        consumer.event(event.get());
      }
      for (Gap gap : reader.gaps()) {
        consumer.gap(gap);
      }
      for (Incompleteness reason : reader.reasons()) {
        consumer.incomplete(reason);
      }
    }
  }

  /**
   * Reads the next event. A failure to read is a connection error; a failure to write is the
   * consumer's.
   */
  private Optional<Event> next(NdjsonReader reader) {
    try {
      return reader.next();
    } catch (InterruptedIOException e) {
      throw ServerClient.lost(e);
    } catch (IOException e) {
      throw ServerClient.lost(new IOException("the connection to " + server + " broke", e));
    } catch (NdjsonException e) {
      if (e.field().equals("problem")) { // the last line, if the server could not continue
        throw new CommandException(
            ExitCode.FAILED, server + " failed in the middle of its answer; its log says why", e);
      }
      throw new CommandException(
          ExitCode.FAILED, "the answer of " + server + " cannot be read: " + e.getMessage(), e);
    }
  }
}
