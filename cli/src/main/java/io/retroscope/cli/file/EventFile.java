package io.retroscope.cli.file;

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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Reads events from a file, one by one. */
public final class EventFile {
  private EventFile() {}

  /**
   * Hands every event of a file to the consumer.
   *
   * @param format {@code NDJSON} or {@code RETROSCOPE}
   * @throws InputException if it holds something else; the message has file, place and reason
   * @throws IOException if the file cannot be read
   */
  public static void read(Path file, EventFormat format, EventConsumer consumer)
      throws IOException {
    if (format == EventFormat.RETROSCOPE) {
      readBlocks(file, consumer);
    } else {
      readNdjson(file, consumer);
    }
  }

  /**
   * Hands every event of a file to the consumer, in whichever of the two formats it is.
   *
   * @throws InputException if it holds something else; the message has file, place and reason
   * @throws IOException if the file cannot be read
   */
  public static void read(Path file, EventConsumer consumer) throws IOException {
    EventFormat format = EventFormat.recognise(file);
    if (format == EventFormat.SHIVIZ) {
      throw new InputException(
          file.toString(), "is neither NDJSON nor blocks: a ShiViz log must be imported first");
    }
    read(file, format, consumer);
  }

  private static void readBlocks(Path file, EventConsumer consumer) throws IOException {
    try (CountingInputStream in = new CountingInputStream(Files.newInputStream(file))) {
      Optional<BlockFrame> frame = EventBlockCodec.read(in, 0);
      while (frame.isPresent()) {
        if (frame.get() instanceof EventBlock block) {
          readBlock(block, consumer);
        }
        frame = EventBlockCodec.read(in, in.count());
      }
    } catch (CorruptBlockException e) {
      throw new InputException(file.toString(), "byte %d: %s".formatted(e.position(), e.reason()));
    }
  }

  /** A block's promise that later events are later is a heartbeat in every other format. */
  private static void readBlock(EventBlock block, EventConsumer consumer) throws IOException {
    for (Event event : block.events()) {
      consumer.accept(event);
    }
    if (block.heartbeat() != EventBlock.NO_HEARTBEAT) {
      consumer.accept(new Event(block.node(), "", block.heartbeat(), new EventBody.Heartbeat()));
    }
  }

  private static void readNdjson(Path file, EventConsumer consumer) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      NdjsonReader reader = new NdjsonReader(in, NdjsonReader.Limits.FILE);
      for (Optional<Event> event = reader.next(); event.isPresent(); event = reader.next()) {
        consumer.accept(event.get());
      }
    } catch (NdjsonException e) {
      String where = e.field().isEmpty() ? "" : "field \"" + e.field() + "\" ";
      throw new InputException(file.toString(), e.line(), where + e.reason());
    }
  }

  /** Knows how far it has been read, for messages. */
  private static final class CountingInputStream extends FilterInputStream {
    private long count;

    CountingInputStream(InputStream in) {
      super(new BufferedInputStream(in));
    }

    long count() {
      return count;
    }

    @Override
    public int read() throws IOException {
      int read = super.read();
      count += read < 0 ? 0 : 1;
      return read;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      int read = super.read(bytes, offset, length);
      count += Math.max(0, read);
      return read;
    }
  }
}
