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
import java.util.Optional;

/** Reads the events that a log server has stored. */
final class EventDownload {
  private final URI server;

  EventDownload(URI server) {
    this.server = server;
  }

  /** Hands what is wanted to the consumer, events in the order of the stamps. */
  void read(EventSelection selection, EventConsumer consumer) throws IOException {
    try (InputStream body = ServerAnswer.open(server, "/v1/events", selection.asQuery())) {
      NdjsonReader reader = new NdjsonReader(body, NdjsonReader.Limits.FILE);
      for (Optional<Event> event = next(reader); event.isPresent(); event = next(reader)) {
        consumer.event(event.get());
      }
      for (Gap gap : reader.gaps()) {
        consumer.gap(gap);
      }
      for (String warning : reader.warnings()) {
        consumer.warning(warning);
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
}
