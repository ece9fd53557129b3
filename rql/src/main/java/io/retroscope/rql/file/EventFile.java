package io.retroscope.rql.file;

import io.retroscope.blocks.SealedFile;
import io.retroscope.event.BlockFrame;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.LostBlocks;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.Incompleteness.CutOff;
import io.retroscope.rql.json.EventConsumer;
import io.retroscope.rql.json.NdjsonException;
import io.retroscope.rql.json.NdjsonReader;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A reader of event files: newline-delimited JSON, the blocks of a sink, or sealed blocks; the
 * first two also compressed.
 */
public final class EventFile {
  private static final String BLOCK_START = "RTSB";
  private static final int SAMPLE_BYTES = 4096;

  /** The longest text of another format, which is read as a whole. */
  private static final int MAX_TEXT_BYTES = 64 << 20;

  private EventFile() {}

  /** A reader of other texts, such as logs with vector clocks. */
  @FunctionalInterface
  public interface TextLog {
    /** No other format. */
    TextLog NONE =
        (name, text, consumer) -> {
          throw new EventFileException(
              name + ": is neither NDJSON nor blocks: a ShiViz log must be imported first");
        };

    /**
     * Reads the events of a text.
     *
     * @param name of the file, for errors
     */
    void read(String name, String text, EventConsumer consumer) throws IOException;
  }

  /** The format of a file, detected by its beginning or else by its name. */
  public enum Kind {
    /** Newline-delimited JSON, or an empty file. */
    NDJSON,
    /** The blocks of a sink. */
    BLOCKS,
    /** A file of sealed blocks. */
    SEALED,
    /** Another format. */
    OTHER
  }

  /**
   * Reads all events of a file into the consumer, in the order of the file. A last line that was
   * cut off is a warning.
   *
   * @throws EventFileException if the file has another format, with the place and the reason
   * @throws IOException if the file cannot be read, or if the consumer throws it
   */
  public static void read(Path file, EventConsumer consumer) throws IOException {
    try (EventInput in = EventInput.open(file, InputStream.nullInputStream())) {
      read(in, TextLog.NONE, consumer, () -> {});
    }
  }

  /**
   * Reads all events of an input.
   *
   * @param step called now and then
   */
  static void read(EventInput in, TextLog texts, EventConsumer consumer, Runnable step)
      throws IOException {
    switch (kind(in)) {
      case BLOCKS -> readBlocks(in, consumer);
      case NDJSON -> readNdjson(in, consumer, step, true);
      case SEALED -> readSealed(in, consumer);
      case OTHER -> texts.read(in.name(), text(in), consumer);
    }
    if (in.isCut()) {
      consumer.incomplete(
          new CutOff(in.name() + ": its compressed data is cut off; the events before are used"));
    }
  }

  /** Returns the detected format of a file. */
  public static Kind kind(Path file) throws IOException {
    try (EventInput in = EventInput.open(file, InputStream.nullInputStream())) {
      return kind(in);
    }
  }

  static Kind kind(EventInput in) throws IOException {
    InputStream bytes = in.bytes();
    bytes.mark(SAMPLE_BYTES);
    byte[] sample = bytes.readNBytes(SAMPLE_BYTES);
    bytes.reset();
    if (SealedFile.isOne(sample)) {
      return Kind.SEALED;
    }
    String text = new String(sample, StandardCharsets.UTF_8);
    if (text.startsWith(BLOCK_START)) {
      return Kind.BLOCKS;
    }
    String begin = text.replace("\uFEFF", "").stripLeading();
    boolean named = in.name().matches(".*\\.(ndjson|jsonl)(\\.gz|\\.zst)?");
    return begin.isEmpty() || begin.startsWith("{") || named ? Kind.NDJSON : Kind.OTHER;
  }

  private static String text(EventInput in) throws IOException {
    byte[] bytes = in.bytes().readNBytes(MAX_TEXT_BYTES + 1);
    if (bytes.length > MAX_TEXT_BYTES) {
      throw new EventFileException(
          "%s: is neither NDJSON nor blocks, and a text of another format has at most %d MiB"
              .formatted(in.name(), MAX_TEXT_BYTES >> 20));
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new EventFileException(in.name() + ": is not valid UTF-8", e);
    }
  }

  /** Reads a file like {@link #read}, if it is newline-delimited JSON; each line must be whole. */
  public static void readNdjson(Path file, EventConsumer consumer) throws IOException {
    try (EventInput in = EventInput.open(file, InputStream.nullInputStream())) {
      readNdjson(in, consumer, () -> {}, false);
      if (in.isCut()) {
        throw new EventFileException(in.name() + ": its compressed data is cut off");
      }
    }
  }

  private static void readNdjson(
      EventInput in, EventConsumer consumer, Runnable step, boolean mayBeCut) throws IOException {
    NdjsonReader reader = new NdjsonReader(in.bytes(), NdjsonReader.Limits.FILE);
    try {
      while (reader.next(consumer)) {
        if ((reader.lineNumber() & 0xFFF) == 0) {
          step.run();
        }
      }
    } catch (NdjsonException e) {
      if (!mayBeCut || !reader.isLastLine()) {
        String field = e.field().isEmpty() ? "" : "field \"" + e.field() + "\" ";
        throw new EventFileException(in.name() + ":" + e.line() + ": " + field + e.reason(), e);
      }
      consumer.incomplete(
          new CutOff(in.name() + ":" + e.line() + ": the last line is cut off and was left out"));
    }
    for (Gap gap : reader.gaps()) {
      consumer.gap(gap);
    }
    for (Incompleteness reason : reader.reasons()) {
      consumer.incomplete(reason);
    }
  }

  /** Reads a file like {@link #read}, if it contains blocks. */
  public static void readBlocks(Path file, EventConsumer consumer) throws IOException {
    try (EventInput in = EventInput.open(file, InputStream.nullInputStream())) {
      readBlocks(in, consumer);
    }
  }

  private static void readBlocks(EventInput in, EventConsumer consumer) throws IOException {
    CountingInput counted = new CountingInput(in.bytes());
    try {
      for (Optional<BlockFrame> frame = EventBlockCodec.read(counted, 0);
          frame.isPresent();
          frame = EventBlockCodec.read(counted, counted.count)) {
        readFrame(frame.get(), consumer);
      }
    } catch (CorruptBlockException e) {
      throw new EventFileException(in.name() + ": byte " + e.position() + ": " + e.reason(), e);
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

  private static void readSealed(EventInput in, EventConsumer consumer) throws IOException {
    if (in.isCompressed()) {
      throw new EventFileException(in.name() + ": decompress this file of sealed blocks first");
    }
    try (SealedFileSource source = SealedFileSource.open(in.path(), SealedFileSource.NO_CLOCKS)) {
      source.readAll(consumer);
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
