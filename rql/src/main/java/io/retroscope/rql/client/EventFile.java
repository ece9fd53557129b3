package io.retroscope.rql.client;

import io.retroscope.event.BlockFrame;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.LostBlocks;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.json.EventConsumer;
import io.retroscope.rql.json.NdjsonException;
import io.retroscope.rql.json.NdjsonReader;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** A reader of event files: newline-delimited JSON, or the blocks of a sink. */
public final class EventFile {
  private static final String BLOCK_START = "RTSB";
  private static final int SAMPLE_BYTES = 4096;
  private static final int BUFFER_BYTES = 1 << 16;

  private EventFile() {}

  /**
   * Reads all events of a file into the consumer, in the order of the file.
   *
   * @param file newline-delimited JSON or blocks
   * @throws ProblemException if the file has another format, with the place and the reason
   * @throws IOException if the file cannot be read, or if the consumer throws it
   */
  public static void read(Path file, EventConsumer consumer) throws IOException {
    try (InputStream in = open(file)) { // Opened only once, because it may be a pipe.
      switch (kind(file, in)) {
        case BLOCKS -> readBlocks(file, in, consumer);
        case NDJSON -> readNdjson(file, in, consumer);
        case OTHER ->
            throw new ProblemException(
                file + ": is neither NDJSON nor blocks: a ShiViz log must be imported first");
      }
    }
  }

  /** The format of a file, detected by its beginning or else by its name. */
  public enum Kind {
    /** Newline-delimited JSON, or an empty file. */
    NDJSON,
    /** The blocks of a sink. */
    BLOCKS,
    /** Another format. */
    OTHER
  }

  /** Returns the detected format of a file. */
  public static Kind kind(Path file) throws IOException {
    try (InputStream in = open(file)) {
      return kind(file, in);
    }
  }

  private static Kind kind(Path file, InputStream in) throws IOException {
    in.mark(SAMPLE_BYTES);
    String text = new String(in.readNBytes(SAMPLE_BYTES), StandardCharsets.UTF_8);
    in.reset();
    String begin = text.replace("\uFEFF", "").stripLeading();
    if (text.startsWith(BLOCK_START)) {
      return Kind.BLOCKS;
    }
    boolean named = file.toString().matches(".*\\.(ndjson|jsonl)");
    return begin.isEmpty() || begin.startsWith("{") || named ? Kind.NDJSON : Kind.OTHER;
  }

  private static InputStream open(Path file) throws IOException {
    if (Files.isDirectory(file)) {
      throw new ProblemException(file + ": is a folder");
    }
    return new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES);
  }

  /** Reads a file like {@link #read}, if it is newline-delimited JSON. */
  public static void readNdjson(Path file, EventConsumer consumer) throws IOException {
    try (InputStream in = open(file)) {
      readNdjson(file, in, consumer);
    }
  }

  private static void readNdjson(Path file, InputStream in, EventConsumer consumer)
      throws IOException {
    try {
      NdjsonReader reader = new NdjsonReader(in, NdjsonReader.Limits.FILE);
      for (Optional<Event> event = reader.next(); event.isPresent(); event = reader.next()) {
        consumer.event(event.get());
      }
      for (Gap gap : reader.gaps()) {
        consumer.gap(gap);
      }
      for (String warning : reader.warnings()) {
        consumer.warning(warning);
      }
    } catch (NdjsonException e) {
      String field = e.field().isEmpty() ? "" : "field \"" + e.field() + "\" ";
      throw new ProblemException(file + ":" + e.line() + ": " + field + e.reason());
    }
  }

  /** Reads a file like {@link #read}, if it contains blocks. */
  public static void readBlocks(Path file, EventConsumer consumer) throws IOException {
    try (InputStream in = open(file)) {
      readBlocks(file, in, consumer);
    }
  }

  private static void readBlocks(Path file, InputStream in, EventConsumer consumer)
      throws IOException {
    CountingInput counted = new CountingInput(in);
    try {
      for (Optional<BlockFrame> frame = EventBlockCodec.read(counted, 0);
          frame.isPresent();
          frame = EventBlockCodec.read(counted, counted.count)) {
        readFrame(frame.get(), consumer);
      }
    } catch (CorruptBlockException e) {
      throw new ProblemException(file + ": byte " + e.position() + ": " + e.reason());
    }
  }

  /**
   * Reads a frame; the block's lower bound on later stamps is a heartbeat in every other format.
   */
  private static void readFrame(BlockFrame frame, EventConsumer consumer) throws IOException {
    if (frame instanceof LostBlocks lost) {
      if (lost.eventCount() > 0) {
        HlcRange range = new HlcRange(lost.firstHlc(), lost.lastHlc());
        consumer.gap(new Gap(lost.node(), lost.incarnation(), range, lost.eventCount()));
      }
      return;
    }
    EventBlock block = (EventBlock) frame;
    for (Event event : block.events()) {
      consumer.event(event.of(block.incarnation()));
    }
    if (block.heartbeat() != EventBlock.NO_HEARTBEAT) {
      EventBody heartbeat = new EventBody.Heartbeat(block.promiseMicros());
      consumer.event(
          new Event(block.node(), "", block.heartbeat(), heartbeat).of(block.incarnation()));
    }
  }

  /** A stream that counts the bytes read so far, for messages. */
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
