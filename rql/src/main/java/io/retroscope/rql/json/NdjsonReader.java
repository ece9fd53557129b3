// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

import io.retroscope.event.Event;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.Incompleteness;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;

/**
 * A reader of events from newline-delimited JSON, with one object per line, that holds only one
 * line in memory.
 *
 * <p>It accepts LF and CRLF, a byte order mark at the start, blank lines, and a last line without a
 * line end. Every other line that is not exactly an event is rejected with line, field and reason.
 * Used by one thread. It does not close the stream.
 */
public final class NdjsonReader {
  /** The maximum number of losses in one text. */
  static final int MAX_GAPS = 100_000;

  /** The maximum number of other reasons that are kept of one text; one more says so. */
  static final int MAX_REASONS = 1_000;

  private static final int BUFFER_BYTES = 64 * 1024;

  private final InputStream in;
  private final Limits limits;
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private int position;
  private int end;

  private byte[] line = new byte[1024];
  private int lineLength;
  private long lineNumber;
  private long totalBytes;
  private boolean isLastLine;

  private final CharsetDecoder utf8 =
      StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .onUnmappableCharacter(CodingErrorAction.REPORT);
  private CharBuffer characters = CharBuffer.allocate(1024);
  private final List<Gap> gaps = new ArrayList<>();
  private final List<Incompleteness> reasons = new ArrayList<>();
  private final EventLine usual = new EventLine();

  /**
   * The limits of the input.
   *
   * @param lineBytes the maximum length of a line, without its end
   * @param batchBytes the maximum length of the input
   */
  public record Limits(int lineBytes, long batchBytes) {
    /** The limits of a request: lines of 1 MiB, 64 MiB in total. */
    public static final Limits BATCH = new Limits(1 << 20, 64L << 20);

    /** The limits of a file: lines of 1 MiB, without a limit in total. */
    public static final Limits FILE = new Limits(1 << 20, Long.MAX_VALUE);

    /** Checks that the limits are positive. */
    public Limits {
      if (lineBytes < 1 || batchBytes < 1) {
        throw new IllegalArgumentException(
            "limits must be positive: " + lineBytes + ", " + batchBytes);
      }
    }
  }

  /** Creates a reader from the stream's position. The stream need not be buffered. */
  public NdjsonReader(InputStream in, Limits limits) {
    this.in = in;
    this.limits = limits;
  }

  /**
   * Reads the next event; empty at the end. Lines that report missing events are skipped: see
   * {@link #gaps()} and {@link #reasons()}.
   *
   * @throws NdjsonException if the next line that is not blank is none of these, or a limit is
   *     exceeded
   * @throws IOException if the stream cannot be read
   */
  public Optional<Event> next() throws IOException {
    while (readLine()) {
      Optional<Event> event =
          isBlank()
              ? Optional.empty()
              : usual.read(line, lineLength) ? Optional.of(usual.event()) : parseLine();
      if (event.isPresent()) {
        return event;
      }
    }
    return Optional.empty();
  }

  /**
   * Reads the next line that is not blank, and passes its event on if it has one.
   *
   * @return false at the end
   * @throws NdjsonException as {@link #next}
   * @throws IOException if the stream cannot be read, or if the consumer throws it
   */
  public boolean next(EventConsumer consumer) throws IOException {
    while (readLine()) {
      if (isBlank()) {
        continue;
      }
      if (usual.read(line, lineLength)) {
        consumer.line(usual);
        return true;
      }
      Optional<Event> event = parseLine();
      if (event.isPresent()) {
        consumer.event(event.get());
      }
      return true;
    }
    return false;
  }

  /** The losses that the lines read so far report. */
  public List<Gap> gaps() {
    return Collections.unmodifiableList(gaps);
  }

  /** The lines read so far about data that the text does not contain, and why. */
  public List<Incompleteness> reasons() {
    return Collections.unmodifiableList(reasons);
  }

  /** Whether the line read last has no line end and is not whole JSON, so that it is cut off. */
  public boolean isCutOff() {
    return isLastLine && !isWholeJson();
  }

  private boolean isWholeJson() {
    try (JsonParser in =
        JsonValues.EVENTS.createParser(ObjectReadContext.empty(), line, 0, lineLength)) {
      in.nextToken();
      in.skipChildren();
      return in.nextToken() == null;
    } catch (JacksonException e) {
      return false;
    }
  }

  /** The number of the line read last, counted from 1; 0 before the first. */
  public long lineNumber() {
    return lineNumber;
  }

  private boolean readLine() throws IOException {
    lineLength = 0;
    lineNumber++;
    while (true) {
      if (position == end && !fill()) {
        if (lineLength == 0) {
          lineNumber--;
          return false;
        }
        isLastLine = true;
        return true;
      }
      int start = position;
      while (position < end && buffer[position] != '\n') {
        position++;
      }
      append(start, position);
      if (position < end) {
        position++;
        return true;
      }
    }
  }

  private boolean fill() throws IOException {
    int read = in.read(buffer, 0, buffer.length);
    if (read <= 0) {
      return false;
    }
    position = 0;
    end = read;
    totalBytes += read;
    if (totalBytes > limits.batchBytes) {
      throw refuse("", "the batch is longer than " + limits.batchBytes + " bytes");
    }
    return true;
  }

  private void append(int from, int to) {
    int count = to - from;
    if (lineLength + count > limits.lineBytes) {
      throw refuse("", "the line is longer than " + limits.lineBytes + " bytes");
    }
    if (lineLength + count > line.length) {
      line = Arrays.copyOf(line, Math.max(line.length * 2, lineLength + count));
    }
    System.arraycopy(buffer, from, line, lineLength, count);
    lineLength += count;
  }

  /** Returns whether the line is blank, after removing the byte order mark of the first line. */
  private boolean isBlank() {
    boolean isMarked =
        lineLength >= 3
            && line[0] == (byte) 0xEF
            && line[1] == (byte) 0xBB
            && line[2] == (byte) 0xBF;
    if (isMarked && lineNumber > 1) {
      throw refuse(
          "",
          "a byte order mark in the middle of the text, as if files with one were joined: remove"
              + " its three bytes EF BB BF");
    }
    if (isMarked) {
      Arrays.fill(line, 0, 3, (byte) ' ');
    }
    for (int i = 0; i < lineLength; i++) {
      if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r') {
        return false;
      }
    }
    return true;
  }

  private Optional<Event> parseLine() {
    if (characters.capacity() < lineLength) {
      characters = CharBuffer.allocate(line.length);
    }
    characters.clear();
    utf8.reset();
    if (utf8.decode(ByteBuffer.wrap(line, 0, lineLength), characters, true).isError()) {
      throw refuse("", "not valid UTF-8");
    }
    try {
      return EventReader.read(
          characters.array(), characters.position(), this::addGap, this::addReason);
    } catch (JsonFieldException e) {
      throw lineNumber == 1
          ? ForeignJson.of(firstText())
              .map(what -> refuse("", what))
              .orElseGet(() -> refuse(e.field(), e.reason()))
          : refuse(e.field(), e.reason());
    }
  }

  /** The first line, and the characters read of the following ones. */
  private String firstText() {
    int known = Math.min(lineLength, ForeignJson.MAX_KNOWN_BYTES);
    int more = Math.min(end - position, ForeignJson.MAX_KNOWN_BYTES - known);
    return new String(line, 0, known, StandardCharsets.UTF_8)
        + "\n"
        + new String(buffer, position, more, StandardCharsets.UTF_8);
  }

  private void addGap(Gap gap) {
    if (gaps.size() == MAX_GAPS) {
      throw refuse("lost", "more than " + MAX_GAPS + " losses");
    }
    gaps.add(gap);
  }

  private void addReason(Incompleteness reason) {
    if (reasons.size() < MAX_REASONS) {
      reasons.add(reason);
    } else if (reasons.size() == MAX_REASONS) {
      reasons.add(
          new Incompleteness.Reported(
              "the text says more than " + MAX_REASONS + " times what is missing"));
    }
  }

  private NdjsonException refuse(String field, String reason) {
    return new NdjsonException(lineNumber, field, reason);
  }
}
