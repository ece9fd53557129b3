package io.retroscope.rql.client;

import io.retroscope.event.BlockFrame;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.rql.json.NdjsonException;
import io.retroscope.rql.json.NdjsonReader;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Reads all events of a file: newline-delimited JSON, or blocks as a sink writes them. */
final class EventFileReader {
  private static final byte[] BLOCK_START = "RTSB".getBytes(StandardCharsets.US_ASCII);

  private final Path file;
  private final int maxEvents;
  private final List<Event> events = new ArrayList<>();

  /** A reader that refuses a file of more than so many events. */
  EventFileReader(Path file, int maxEvents) {
    this.file = file;
    this.maxEvents = maxEvents;
  }

  /**
   * The events, in the order of the file.
   *
   * @throws ProblemException if the file holds something else, with the place and the reason
   * @throws IOException if it cannot be read
   */
  List<Event> read() throws IOException {
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16)) {
      in.mark(BLOCK_START.length);
      boolean blocks = Arrays.equals(in.readNBytes(BLOCK_START.length), BLOCK_START);
      in.reset();
      if (blocks) {
        readBlocks(in);
      } else {
        readNdjson(in);
      }
    } catch (NdjsonException | CorruptBlockException e) {
      throw new ProblemException(file + ", " + e.getMessage());
    }
    return events;
  }

  private void readNdjson(InputStream in) throws IOException {
    NdjsonReader reader = new NdjsonReader(in, NdjsonReader.Limits.FILE);
    for (Optional<Event> event = reader.next(); event.isPresent(); event = reader.next()) {
      add(event.get());
    }
  }

  private void readBlocks(InputStream in) throws IOException {
    CountingInput counted = new CountingInput(in);
    for (Optional<BlockFrame> frame = EventBlockCodec.read(counted, 0);
        frame.isPresent();
        frame = EventBlockCodec.read(counted, counted.count)) {
      if (frame.get() instanceof EventBlock block) {
        block.events().forEach(this::add);
        if (block.heartbeat() != EventBlock.NO_HEARTBEAT) {
          add(new Event(block.node(), "", block.heartbeat(), new EventBody.Heartbeat()));
        }
      }
    }
  }

  private void add(Event event) {
    if (events.size() == maxEvents) {
      throw new ProblemException(
          file + " holds more than " + maxEvents + " events: import it into a log server");
    }
    events.add(event);
  }

  /** Knows how far it has been read, for messages. */
  private static final class CountingInput extends FilterInputStream {
    private long count;

    CountingInput(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      int b = super.read();
      count += b < 0 ? 0 : 1;
      return b;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
      int read = super.read(bytes, from, length);
      count += Math.max(0, read);
      return read;
    }
  }
}
