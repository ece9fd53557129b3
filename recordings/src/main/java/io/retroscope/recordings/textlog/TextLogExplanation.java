// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.recordings.textlog.LineFormat.LineReader;
import io.retroscope.rql.json.JsonValues;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What becomes of the parts of the first lines of a text log, for users. */
public final class TextLogExplanation {
  private static final int LINES = 10;
  private static final int MAX_LENGTH = 160;

  private TextLogExplanation() {}

  /**
   * Explains a log.
   *
   * @param sample the first bytes of the file
   */
  public static List<String> lines(TextLog log, byte[] sample) {
    List<String> out = new ArrayList<>();
    out.add(
        "%s: format %s, node %s, times %s"
            .formatted(log.path(), names(log), log.node(), times(log)));
    FileClock clock = log.clock();
    List<LineReader> readers = log.choice().readers();
    int number = 0;
    for (String line : TextLog.lines(sample)) {
      number++;
      if (number > LINES) {
        break;
      }
      out.add(number + ": " + abbreviated(line));
      out.add("   " + explained(log, line, readers, clock));
    }
    return out;
  }

  private static String names(TextLog log) {
    List<String> names = log.formats().stream().map(LineFormat::name).toList();
    return names.get(0)
        + (names.size() == 1
            ? ""
            : " (and " + String.join(", ", names.subList(1, names.size())) + ")");
  }

  private static String times(TextLog log) {
    String zone =
        log.choice().hasZone()
            ? "with their zone"
            : "without a zone, read as " + log.settings().zoneOf(log.path());
    return switch (log.choice().missing()) {
      case NOTHING -> zone;
      case YEAR -> zone + ", the year from the file's last change";
      case DATE -> zone + ", the date from the file's last change";
      case START -> "since a start, counted back from the file's last change";
    };
  }

  private static String explained(
      TextLog log, String line, List<LineReader> readers, FileClock clock) {
    Entry entry = new Entry();
    for (int i = 0; i < readers.size(); i++) {
      boolean fits =
          !line.isEmpty()
              && readers.get(i).read(line, entry)
              && entry.time.missing == log.choice().missing();
      if (fits) {
        long micros = clock.micros(entry.time);
        readers.get(i).finish(entry);
        return log.formats().get(i).name() + ": " + parts(log, entry, micros);
      }
    }
    return "no time: belongs to the entry before";
  }

  private static String parts(TextLog log, Entry entry, long micros) {
    List<String> parts = new ArrayList<>();
    boolean isStamp = micros >= 0 && micros <= HlcTimestamp.MAX_MICROS;
    parts.add("time " + (isStamp ? HlcTimestamp.isoMicros(micros) : micros + " us"));
    if (!entry.node().isEmpty()) {
      parts.add("node " + entry.node());
    }
    entry
        .fields()
        .forEach((name, value) -> parts.add(name + " " + abbreviated(JsonValues.text(value))));
    parts.add("message \"" + abbreviated(entry.message()) + "\"");
    MessageRules rules = log.rules();
    for (Map.Entry<String, String> set : rules.variables(entry.message(), rule -> {}).entrySet()) {
      parts.add("sets " + set.getKey() + " = " + set.getValue());
    }
    MessageRules.ends(rules.send(), entry.message(), rule -> {})
        .forEach(end -> parts.add("sends " + end.id()));
    MessageRules.ends(rules.receive(), entry.message(), rule -> {})
        .forEach(end -> parts.add("receives " + end.id()));
    return String.join("; ", parts);
  }

  private static String abbreviated(String text) {
    String line = text.replace("\n", "\\n").replace("\t", " ");
    return line.length() <= MAX_LENGTH ? line : line.substring(0, MAX_LENGTH) + "...";
  }
}
