// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import io.retroscope.recordings.textlog.LineFormat.LineReader;
import io.retroscope.recordings.textlog.LogTime.Missing;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The formats of a text log, found by the lines at its beginning. Immutable.
 *
 * @param formats the first one has most lines; lines of other forms are read by the others
 * @param missing what the times leave out
 * @param hasZone whether the times have a zone
 * @param hasHosts whether the entries name several hosts, which are the nodes then
 * @param matchedCount the number of lines with a time
 */
record FormatChoice(
    List<LineFormat> formats,
    DateOrder order,
    Missing missing,
    boolean hasZone,
    boolean hasHosts,
    int matchedCount) {
  /** One of this number of lines must have a time, unless they look like parts of other entries. */
  private static final int MAX_LINES_PER_ENTRY = 10;

  /** The most lines that are looked at. */
  static final int MAX_LINES = 2_000;

  private static final java.util.regex.Pattern SLASHED_DATE =
      java.util.regex.Pattern.compile("\\b\\d{1,2}[/-]\\d{1,2}[/-](\\d{4}|\\d{2})\\b");

  FormatChoice {
    formats = List.copyOf(formats);
  }

  /** What one format makes of the lines. */
  private record Trial(LineFormat format, BitSet matches) {
    int count() {
      return matches.cardinality();
    }
  }

  /**
   * Chooses formats.
   *
   * @param forced the only format that is tried; empty for all
   * @return empty if none fits
   */
  static Optional<FormatChoice> choose(
      List<String> lines, String path, FormatCatalog catalog, Optional<LineFormat> forced) {
    List<LineFormat> candidates = forced.map(List::of).orElse(catalog.all());
    Optional<FormatChoice> best = Optional.empty();
    boolean isDated = lines.stream().anyMatch(line -> SLASHED_DATE.matcher(line).find());
    for (DateOrder order : isDated ? DateOrder.values() : new DateOrder[] {DateOrder.YEAR_FIRST}) {
      Optional<FormatChoice> found = choose(lines, path, candidates, order, catalog);
      int count = best.map(FormatChoice::matchedCount).orElse(0);
      if (found.isPresent() && found.get().matchedCount > count) {
        best = found;
      }
    }
    return best.filter(choice -> forced.isPresent() || isEnough(choice.matchedCount, lines));
  }

  private static boolean isEnough(int count, List<String> lines) {
    long heads = lines.stream().filter(FormatChoice::mayBeHead).count();
    return (long) count * MAX_LINES_PER_ENTRY >= heads;
  }

  /** Whether a line is none that stack traces and dumps have. */
  private static boolean mayBeHead(String line) {
    return !line.isBlank() && line.charAt(0) > ' ' && !line.startsWith("Caused by");
  }

  private static Optional<FormatChoice> choose(
      List<String> lines,
      String path,
      List<LineFormat> candidates,
      DateOrder order,
      FormatCatalog catalog) {
    List<Trial> trials =
        candidates.stream()
            .filter(format -> format.fits(path))
            .map(format -> trial(format, lines, order))
            .filter(trial -> trial.count() > 0)
            .toList();
    int most = trials.stream().mapToInt(Trial::count).max().orElse(0);
    Optional<Trial> first =
        trials.stream()
            .filter(
                trial ->
                    catalog.own().contains(trial.format)
                        ? trial.count() * 2 >= most
                        : trial.count() * 5 >= most * 4)
            .findFirst();
    return first.map(trial -> of(trial, trials, lines, order));
  }

  private static Trial trial(LineFormat format, List<String> lines, DateOrder order) {
    LineReader reader = format.reader(order);
    Entry entry = new Entry();
    BitSet matches = new BitSet(lines.size());
    for (int i = 0; i < lines.size(); i++) {
      matches.set(i, !lines.get(i).isEmpty() && reader.read(lines.get(i), entry));
    }
    return new Trial(format, matches);
  }

  private static FormatChoice of(
      Trial first, List<Trial> trials, List<String> lines, DateOrder order) {
    List<LineFormat> formats = new ArrayList<>(List.of(first.format));
    BitSet read = (BitSet) first.matches.clone();
    for (Trial other : trials) {
      BitSet more = (BitSet) other.matches.clone();
      more.andNot(read);
      if (!more.isEmpty()) {
        formats.add(other.format);
        read.or(more);
      }
    }
    int count = read.cardinality();
    return facts(formats, lines, order, count);
  }

  private static FormatChoice facts(
      List<LineFormat> formats, List<String> lines, DateOrder order, int count) {
    LineReader reader = formats.get(0).reader(order);
    Entry entry = new Entry();
    Map<Missing, Integer> missing = new EnumMap<>(Missing.class);
    Set<String> hosts = new HashSet<>();
    boolean hasZone = false;
    for (String line : lines) {
      if (!line.isEmpty() && reader.read(line, entry)) {
        missing.merge(entry.time.missing, 1, Integer::sum);
        hasZone |= entry.time.isCount || entry.time.offsetSeconds != LogTime.NO_OFFSET;
        String host = JsonFormat.host(entry.fields());
        if (!host.isEmpty() && formats.get(0) instanceof JsonFormat) {
          hosts.add(host);
        }
      }
    }
    Missing usual =
        Arrays.stream(Missing.values())
            .max((a, b) -> Integer.compare(missing.getOrDefault(a, 0), missing.getOrDefault(b, 0)))
            .orElse(Missing.NOTHING);
    return new FormatChoice(formats, order, usual, hasZone, hosts.size() > 1, count);
  }

  /** Readers of the formats. */
  List<LineReader> readers() {
    return formats.stream().map(format -> format.reader(order)).toList();
  }

  /** The format whose example begins most like a line. */
  static LineFormat nearest(String line, FormatCatalog catalog) {
    LineFormat nearest = catalog.all().get(0);
    int most = -1;
    for (LineFormat format : catalog.all()) {
      for (String sample : format.samples()) {
        int common = commonShape(line, sample);
        if (common > most) {
          most = common;
          nearest = format;
        }
      }
    }
    return nearest;
  }

  private static int commonShape(String a, String b) {
    int at = 0;
    while (at < a.length() && at < b.length() && shape(a.charAt(at)) == shape(b.charAt(at))) {
      at++;
    }
    return at;
  }

  private static char shape(char c) {
    return Character.isDigit(c) ? '9' : Character.isLetter(c) ? 'a' : c;
  }
}
