// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import io.retroscope.blocks.sealed.SealedFile;
import io.retroscope.event.BlockFrame;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.LostBlocks;
import io.retroscope.recordings.document.DocumentFormat;
import io.retroscope.recordings.textlog.FormatException;
import io.retroscope.recordings.textlog.TextLog;
import io.retroscope.recordings.textlog.TextLogSettings;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.Incompleteness.CutOff;
import io.retroscope.rql.json.EventConsumer;
import io.retroscope.rql.json.NdjsonException;
import io.retroscope.rql.json.NdjsonReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A reader of event files: newline-delimited JSON, the blocks of a sink, or sealed blocks; the
 * first two also compressed.
 */
public final class EventFile {
  private static final String BLOCK_START = "RTSB";
  private static final int SAMPLE_BYTES = TextLog.SAMPLE_BYTES;

  /** A line with a vector clock, or the expression of such lines. */
  private static final Pattern CLOCK =
      Pattern.compile(
          "(?m)^\\s*(?!\\d{4}-\\d\\d-\\d\\d)\\S+"
              + " \\{\\s*\\\\?\"[^\"]*\\\\?\"\\s*:\\s*\\d|\\(\\?<clock>");

  /** What only an event of this project, a loss or a warning has. */
  private static final Pattern OWN_LINE =
      Pattern.compile("\"hlc\"\\s*:|^\\s*\\{\\s*\"(lost|warning)\"\\s*:");

  /** The longest text with vector clocks, which is read as a whole. */
  private static final int MAX_TEXT_BYTES = 64 << 20;

  private EventFile() {}

  /** A reader of texts with vector clocks. */
  @FunctionalInterface
  public interface ClockText {
    /** Refuses all of them. */
    ClockText NONE =
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
    /** A text log, whose stamps are derived. */
    LOG,
    /** A document of another program, whose stamps are derived. */
    DOCUMENT,
    /** A text with vector clocks. */
    CLOCKS,
    /** A text of a form that is not known. */
    UNKNOWN
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
      Kind kind = kind(in, InputSettings.DEFAULT);
      if (kind == Kind.LOG || kind == Kind.DOCUMENT) {
        throw new EventFileException(in.name() + ": has no stamps: import it first");
      }
      read(in, kind, ClockText.NONE, consumer, () -> {});
    }
  }

  /**
   * Reads all events of an input whose stamps are not derived.
   *
   * @param step called now and then
   */
  static void read(EventInput in, Kind kind, ClockText texts, EventConsumer consumer, Runnable step)
      throws IOException {
    switch (kind) {
      case BLOCKS -> readBlocks(in, new OlderStarts(consumer), true);
      case NDJSON -> readNdjson(in, new OlderStarts(consumer), step, true);
      case SEALED -> readSealed(in, consumer);
      case CLOCKS -> texts.read(in.name(), text(in), consumer);
      case LOG, DOCUMENT ->
          throw new IllegalArgumentException("the stamps of these events are derived");
      case UNKNOWN ->
          throw new EventFileException(
              TextLog.unknown(in.name(), sample(in), TextLogSettings.DEFAULT));
    }
    if (in.trouble().isPresent()) {
      consumer.incomplete(cutOff(in.name(), in.trouble().get()));
    }
  }

  /** The reason of compressed data that ends too early. */
  static CutOff cutOff(String name, String trouble) {
    return new CutOff("%s: %s; the events before are used".formatted(name, trouble));
  }

  /** Reads events of an input again, for their places, until both are known. */
  static void read(EventInput in, InputSettings settings, ClockText texts, EventPlaces places)
      throws IOException {
    Kind kind = kind(in, settings);
    if (kind == Kind.NDJSON) {
      NdjsonReader reader = new NdjsonReader(in.bytes(), NdjsonReader.Limits.FILE);
      places.setPlace(() -> in.name() + ":" + reader.lineNumber());
      while (!places.isComplete() && reader.next(places)) {
        // each line goes to the places
      }
    } else if (!settings.derives(kind)) {
      places.setPlace(in::name);
      read(in, kind, texts, places, () -> {});
    }
  }

  /**
   * Returns the format of a file.
   *
   * @throws EventFileException if the settings name a format that does not exist
   * @throws IOException if it cannot be read
   */
  public static Kind kind(Path file, InputSettings settings) throws IOException {
    try (EventInput in = EventInput.open(file, InputStream.nullInputStream())) {
      return kind(in, settings);
    }
  }

  /** The bytes at the beginning of an input, which are read again afterwards. */
  static byte[] sample(EventInput in) throws IOException {
    InputStream bytes = in.bytes();
    bytes.mark(SAMPLE_BYTES);
    byte[] sample = bytes.readNBytes(SAMPLE_BYTES);
    bytes.reset();
    return sample;
  }

  static Kind kind(EventInput in, InputSettings settings) throws IOException {
    byte[] sample = sample(in);
    if (settings.forced().isPresent()) {
      return settings.forced().get();
    }
    if (SealedFile.isOne(sample)) {
      return Kind.SEALED;
    }
    String text = new String(sample, StandardCharsets.UTF_8);
    if (text.startsWith(BLOCK_START)) {
      return Kind.BLOCKS;
    }
    String begin = text.replace("\uFEFF", "").stripLeading();
    boolean named = in.name().matches(".*\\.(ndjson|jsonl)(\\.gz|\\.zst)?");
    boolean isForced = settings.texts().format().isPresent();
    if (begin.isEmpty() || (begin.startsWith("{") && isOwn(begin) && !isForced)) {
      return Kind.NDJSON;
    }
    if (!isForced && DocumentFormat.recognize(sample).isPresent()) {
      return Kind.DOCUMENT;
    }
    if (isArray(begin) && !isForced) {
      return Kind.NDJSON;
    }
    boolean isObject = begin.startsWith("{");
    if (!isForced && !isObject && CLOCK.matcher(text).find()) {
      return Kind.CLOCKS;
    }
    if (recognize(in.name(), sample, settings).isPresent()) {
      return Kind.LOG;
    }
    return (isObject || named) && !isForced ? Kind.NDJSON : Kind.UNKNOWN;
  }

  /** Whether a text is an array of JSON objects, which the reader of events names. */
  private static boolean isArray(String begin) {
    return begin.startsWith("[") && begin.substring(1).stripLeading().startsWith("{");
  }

  /** Whether the first line is an event of this project. */
  private static boolean isOwn(String begin) {
    int end = begin.indexOf('\n');
    return OWN_LINE.matcher(end < 0 ? begin : begin.substring(0, end)).find();
  }

  /** The text log of an input; empty if it has no known format. */
  static Optional<TextLog> recognize(String name, byte[] sample, InputSettings settings) {
    try {
      return TextLog.recognize(name, sample, settings.texts());
    } catch (FormatException e) {
      throw new EventFileException(e.reason(), e);
    }
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
      try {
        readNdjson(in, new OlderStarts(consumer), () -> {}, false);
      } catch (EventFileException e) {
        checkWhole(in); // A line that is cut off has no mistake.
        throw e;
      }
      checkWhole(in);
    }
  }

  private static void checkWhole(EventInput in) {
    if (in.trouble().isPresent()) {
      throw new EventFileException(in.name() + ": " + in.trouble().get());
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
      boolean isCutOff = reader.isCutOff();
      boolean isDamaged = isDamaged(in);
      if (!mayBeCut || (!isCutOff && !isDamaged)) {
        throw refused(in.name(), e);
      }
      consumer.incomplete(isCutOff ? lastLine(in.name(), e) : damagedFrom(in.name(), e));
    }
    for (Gap gap : reader.gaps()) {
      consumer.gap(gap);
    }
    for (Incompleteness reason : reader.reasons()) {
      consumer.incomplete(reason);
    }
  }

  /**
   * Whether compressed data is damaged, of which wrong bytes were read: a checksum at its end shows
   * it. Reads the rest.
   */
  private static boolean isDamaged(EventInput in) throws IOException {
    if (in.isCompressed()) {
      in.bytes().transferTo(OutputStream.nullOutputStream());
    }
    return in.trouble().isPresent();
  }

  private static CutOff damagedFrom(String name, NdjsonException e) {
    return new CutOff(
        "%s:%d: the compressed data is damaged at or before this line, from which on nothing is read"
            .formatted(name, e.line()));
  }

  /** The refusal of a line. */
  static EventFileException refused(String name, NdjsonException e) {
    String field = e.field().isEmpty() ? "" : "field \"" + e.field() + "\" ";
    return new EventFileException(name + ":" + e.line() + ": " + field + e.reason(), e);
  }

  /** The reason of a last line that is no event. */
  static CutOff lastLine(String name, NdjsonException e) {
    return new CutOff(name + ":" + e.line() + ": the last line is cut off and was left out");
  }

  /** Reads a file like {@link #read}, if it contains blocks. */
  public static void readBlocks(Path file, EventConsumer consumer) throws IOException {
    try (EventInput in = EventInput.open(file, InputStream.nullInputStream())) {
      try {
        readBlocks(in, new OlderStarts(consumer), false);
      } catch (EventFileException e) {
        checkWhole(in);
        throw e;
      }
      checkWhole(in);
    }
  }

  private static void readBlocks(EventInput in, EventConsumer consumer, boolean mayBeCut)
      throws IOException {
    CountedInput counted = new CountedInput(in.bytes());
    try {
      for (Optional<BlockFrame> frame = EventBlockCodec.read(counted, 0);
          frame.isPresent();
          frame = EventBlockCodec.read(counted, counted.count())) {
        readFrame(frame.get(), consumer);
      }
    } catch (CorruptBlockException e) {
      boolean isLast = in.bytes().read() < 0;
      if (!mayBeCut || (!isLast && !isDamaged(in))) {
        throw new EventFileException(in.name() + ": byte " + e.position() + ": " + e.reason(), e);
      }
      consumer.incomplete(
          new CutOff(
              "%s: byte %d: %s; it and what follows are left out"
                  .formatted(in.name(), e.position(), e.reason())));
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
}
