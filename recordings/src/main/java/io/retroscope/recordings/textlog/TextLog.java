// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import io.retroscope.recordings.replay.ReadingSource;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One text log whose format is known. Immutable. */
public final class TextLog {
  /** The number of bytes at the beginning of a file by which its format is found. */
  public static final int SAMPLE_BYTES = 1 << 16;

  private final String path;
  private final FormatChoice choice;
  private final TextLogSettings settings;
  private final String node;
  private final FileClock.Anchor anchor;

  private TextLog(
      String path,
      FormatChoice choice,
      TextLogSettings settings,
      String node,
      FileClock.Anchor anchor) {
    this.path = path;
    this.choice = choice;
    this.settings = settings;
    this.node = node;
    this.anchor = anchor;
  }

  /**
   * Recognizes the format of a file.
   *
   * @param path of the file, for its node and for errors
   * @param sample its first {@link #SAMPLE_BYTES} bytes, or all
   * @return empty if it has no known format
   * @throws FormatException if the settings name a format that does not exist
   */
  public static Optional<TextLog> recognize(String path, byte[] sample, TextLogSettings settings) {
    Optional<LineFormat> forced = settings.format().map(name -> format(name, settings.catalog()));
    return FormatChoice.choose(lines(sample), path, settings.catalog(), forced)
        .map(choice -> new TextLog(path, choice, settings, path, FileClock.Anchor.NONE));
  }

  private static LineFormat format(String name, FormatCatalog catalog) {
    return catalog
        .find(name)
        .orElseThrow(
            () ->
                new FormatException(
                    "there is no format \"%s\": \"./retroscope formats\" lists them"
                        .formatted(name)));
  }

  static List<String> lines(byte[] sample) {
    int end = sample.length;
    if (end >= SAMPLE_BYTES) {
      // The last line is cut off.
      while (end > 0 && sample[end - 1] != '\n') {
        end--;
      }
      end = end == 0 ? sample.length : end;
    }
    TextLines in = new TextLines(new ByteArrayInputStream(sample, 0, end));
    List<String> lines = new ArrayList<>();
    try {
      for (String line = in.next();
          line != null && lines.size() < FormatChoice.MAX_LINES;
          line = in.next()) {
        lines.add(line);
      }
    } catch (IOException e) {
      throw new AssertionError("an array cannot fail", e);
    }
    return lines;
  }

  /** One sentence about a file of unknown form, with the nearest one. */
  public static String unknown(String path, byte[] sample, TextLogSettings settings) {
    List<String> lines = lines(sample).stream().filter(line -> !line.isBlank()).toList();
    String first = lines.isEmpty() ? "" : lines.get(0);
    LineFormat nearest = FormatChoice.nearest(first, settings.catalog());
    long timed = lines.stream().filter(TextLog::containsTime).count();
    String forced =
        settings.format().map(name -> "does not have the format \"" + name + "\"").orElse("");
    return "%s: %s: %s of its first %d lines contain a time, and the nearest format is \"%s\"; \"./retroscope formats --explain %s\" shows how its lines are read"
        .formatted(
            path,
            forced.isEmpty() ? "is a text of unknown form" : forced,
            timed == 0 ? "none" : Long.toString(timed),
            lines.size(),
            nearest.name(),
            path);
  }

  private static boolean containsTime(String line) {
    TimeScanner scanner = new TimeScanner();
    int last = Math.min(line.length(), 500);
    for (int at = 0; at < last; at++) {
      boolean isStart = at == 0 || !Character.isLetterOrDigit(line.charAt(at - 1));
      if (isStart && scanner.scan(line, at) > 0) {
        return true;
      }
    }
    return false;
  }

  /** The nodes of files, by their paths, as far as their lines do not name others. */
  public static Map<String, String> nodes(List<String> paths, TextLogSettings settings) {
    return settings.naming().nodes(paths);
  }

  /** This log as one of a node. */
  public TextLog of(String ofNode) {
    return new TextLog(path, choice, settings, ofNode, anchor);
  }

  /** Whether its times leave out a part, so that {@link #anchored} must read all of it first. */
  public boolean leavesOut() {
    return choice.missing() != LogTime.Missing.NOTHING;
  }

  /**
   * This log with the missing part of its times.
   *
   * @param in the file's bytes
   * @param lastMicros when it was last changed, in microseconds since 1970
   * @throws IOException if it cannot be read
   */
  public TextLog anchored(InputStream in, long lastMicros) throws IOException {
    FileClock.Survey survey = new FileClock.Survey();
    EntryReader reader =
        new EntryReader(
            new TextLines(in),
            choice.readers(),
            choice.missing(),
            time -> {
              survey.add(time);
              return 0;
            });
    while (reader.next() != null) {
      // The survey takes the times.
    }
    return new TextLog(path, choice, settings, node, survey.anchor(lastMicros));
  }

  FileClock clock() {
    return new FileClock(zone(), anchor);
  }

  private ZoneId zone() {
    return settings.zoneOf(path);
  }

  EntryReader entries(TextLines in, FileClock clock) {
    return new EntryReader(in, choice.readers(), choice.missing(), clock::micros);
  }

  /** Its path, for messages. */
  public String path() {
    return path;
  }

  String node() {
    return node;
  }

  /** The formats of its lines, the most frequent one first. */
  List<LineFormat> formats() {
    return choice.formats();
  }

  FormatChoice choice() {
    return choice;
  }

  TextLogSettings settings() {
    return settings;
  }

  /** Whether its times have zones, or the settings name one. */
  public boolean hasZone() {
    return choice.hasZone() || settings.isZoneGiven(path);
  }

  /** What its messages say about the state of nodes. */
  public MessageRules rules() {
    MessageRules all = settings.rules();
    for (LineFormat format : choice.formats()) {
      all = all.and(format.rules());
    }
    return all;
  }

  /**
   * Opens its readings, which close the stream.
   *
   * @param in the file's bytes
   */
  public ReadingSource open(InputStream in, Vocabulary vocabulary) {
    return new TextLogReader(this, in, vocabulary);
  }
}
