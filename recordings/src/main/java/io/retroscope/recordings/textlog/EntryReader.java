// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.recordings.textlog.LineFormat.LineReader;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A reader of the entries of one text log. A line without a time belongs to the entry before. Used
 * by one thread.
 */
final class EntryReader {
  /** The most streams whose parts are joined at the same time. */
  private static final int MAX_STREAMS = 16;

  /** Stamps have this much room; later times are no times. */
  private static final long MAX_MICROS = HlcTimestamp.MAX_MICROS - 86_400_000_000L;

  private final TextLines in;
  private final LineReader[] formats;
  private final LogTime.Missing missing;
  private final TimeTaker times;
  private final Map<String, Part> parts = new LinkedHashMap<>();
  private final Deque<Part> complete = new ArrayDeque<>();
  private final Words words = new Words();

  /** Entries that can be filled again. */
  private final Deque<Entry> spares = new ArrayDeque<>();

  /** The entry that was returned last. */
  private @Nullable Entry returned;

  private @Nullable Part pending;

  /** The characters with which entries began; a severity may be the first part of a line. */
  private final BitSet beginnings = new BitSet();

  /** The least number of characters before a message, of the lines so far. */
  private int shortestHeader = Integer.MAX_VALUE;

  private long before;
  private boolean isCutOff;
  private boolean isAmbiguous;

  /** A receiver of the times of entries, in the order of the lines. */
  interface TimeTaker {
    /** Returns the instant in microseconds since 1970. */
    long micros(LogTime time);
  }

  /** An entry with the reader of its form. */
  private record Part(Entry entry, LineReader reader) {
    Entry finished() {
      reader.finish(entry);
      return entry;
    }
  }

  /**
   * A reader.
   *
   * @param formats the first of which that reads a line counts
   * @param missing what the times of the file leave out; a line with another time has none
   */
  EntryReader(TextLines in, List<LineReader> formats, LogTime.Missing missing, TimeTaker times) {
    this.in = in;
    this.formats = formats.toArray(LineReader[]::new);
    this.missing = missing;
    this.times = times;
  }

  /**
   * The next entry, which is valid until the next call; null at the end.
   *
   * @throws IOException if the lines cannot be read
   */
  @Nullable Entry next() throws IOException {
    if (returned != null) {
      spares.push(returned);
    }
    returned = find();
    return returned;
  }

  private @Nullable Entry find() throws IOException {
    while (complete.isEmpty()) {
      String line = in.next();
      if (line == null) {
        return last();
      }
      Entry candidate = spares.isEmpty() ? new Entry(words) : spares.pop();
      LineReader reader = read(line, candidate);
      if (reader == null) {
        spares.push(candidate);
        continueWith(line);
      } else {
        beginnings.set(line.charAt(0));
        shortestHeader = Math.min(shortestHeader, line.length() - candidate.message().length());
        isAmbiguous |= candidate.time.isAmbiguous;
        take(new Part(candidate, reader));
      }
    }
    return complete.remove().finished();
  }

  private @Nullable LineReader read(String line, Entry candidate) {
    if (line.isEmpty()) {
      return null;
    }
    for (LineReader reader : formats) {
      if (reader.read(line, candidate)
          && candidate.time.missing == missing
          && !isCut(line, candidate)
          && place(line, candidate)) {
        return reader;
      }
    }
    return null;
  }

  private boolean place(String line, Entry candidate) {
    long micros = times.micros(candidate.time);
    candidate.place(in.number(), micros);
    candidate.raw = line;
    return micros >= 0 && micros <= MAX_MICROS;
  }

  /** Whether the last line ends within its time, so that the time may have lost digits. */
  private boolean isCut(String line, Entry candidate) {
    boolean isBare = candidate.message().isEmpty() && candidate.fields().isEmpty();
    return in.isUnterminated()
        && (isBare || (!beginnings.isEmpty() && line.length() < shortestHeader));
  }

  private void continueWith(String line) {
    Part open = pending;
    if (in.isUnterminated() && beginsLikeAnEntry(line)) {
      isCutOff = true;
    } else if (open != null) {
      open.entry.addLine(line);
    } else if (!line.isBlank()) {
      before++;
    }
  }

  private boolean beginsLikeAnEntry(String line) {
    if (line.isEmpty()) {
      return false;
    }
    char c = line.charAt(0);
    int digit = beginnings.nextSetBit('0');
    boolean areDigits = TimeScanner.isDigit(c) && digit >= 0 && digit <= '9';
    return beginnings.get(c) || areDigits;
  }

  private void take(Part part) {
    String stream = part.entry.stream;
    Part first = stream.isEmpty() ? null : parts.get(stream);
    boolean isPart = !part.entry.partOf.isEmpty();
    if (first == null && isPart && parts.size() < MAX_STREAMS) {
      parts.put(stream, part);
      return;
    }
    if (first == null) {
      begin(part);
      return;
    }
    first.entry.addPart(part.entry.message());
    if (!isPart) {
      parts.remove(stream);
      begin(first);
    }
  }

  private void begin(Part part) {
    if (pending != null) {
      complete.add(pending);
    }
    pending = part;
  }

  private @Nullable Entry last() {
    List<Part> rest = new ArrayList<>();
    if (pending != null) {
      rest.add(pending);
    }
    rest.addAll(parts.values());
    pending = null;
    parts.clear();
    complete.addAll(rest);
    return complete.isEmpty() ? null : complete.remove().finished();
  }

  /** The number of lines before the first entry, which belong to none. */
  long linesBefore() {
    return before;
  }

  /** Whether the last line was left out, because it is cut off. */
  boolean isCutOff() {
    return isCutOff;
  }

  /** Whether a date could also have another order. */
  boolean isAmbiguous() {
    return isAmbiguous;
  }
}
