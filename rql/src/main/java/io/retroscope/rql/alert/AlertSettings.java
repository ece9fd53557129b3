// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.alert;

import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.rql.ast.Literals;
import io.retroscope.rql.ast.Statement.Setting;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.Spelling;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * The settings of an alert. Immutable.
 *
 * @param severity such as {@code page}; receivers and Alertmanager see it as a label
 * @param keepMicros how long after a fall an episode continues if the predicate rises again
 * @param summarizeMicros how long ago an episode without messages must have ended to be reported in
 *     a summary
 * @param receivers the names of the receivers; all if empty
 * @param summary one line, in which {@code {name}} is replaced by a value of the cut; may be empty
 * @param runbook an address; may be empty
 * @param pagesBorderline whether episodes that are shorter than their uncertainty are sent
 * @param labels for Alertmanager
 */
public record AlertSettings(
    String severity,
    long keepMicros,
    long summarizeMicros,
    List<String> receivers,
    String summary,
    String runbook,
    boolean pagesBorderline,
    Map<String, String> labels) {
  /** The settings without a clause WITH. */
  public static final AlertSettings DEFAULT = of(List.of(), new ArrayList<>());

  private static final String LABEL = "label.";

  private static final List<String> KEYS =
      List.of(
          "severity",
          "keep",
          "notify",
          "summary",
          "runbook",
          "borderline",
          "summarize",
          LABEL + "NAME");

  /** The settings that are durations, with the texts that a message proposes. */
  private static final Map<String, String> DURATIONS = Map.of("keep", "30s", "summarize", "1h");

  private static final long DEFAULT_SUMMARIZE_MICROS = TimeUnit.HOURS.toMicros(1);

  /** Copies the collections. */
  public AlertSettings {
    receivers = List.copyOf(receivers);
    labels = Map.copyOf(labels);
  }

  /**
   * Reads the clause WITH.
   *
   * @param problems receives its faults
   */
  static AlertSettings of(List<Setting> settings, List<Diagnostic> problems) {
    Map<String, Setting> byKey = new TreeMap<>();
    for (Setting setting : settings) {
      check(setting, problems);
      if (byKey.put(setting.key(), setting) != null) {
        problems.add(
            ErrorCode.NOT_IN_ALERT.at(setting.range(), setting.key() + " is set a second time"));
      }
    }
    Map<String, String> labels = new TreeMap<>();
    byKey.forEach(
        (key, setting) -> {
          if (key.startsWith(LABEL)) {
            labels.put(key.substring(LABEL.length()), text(byKey, key, ""));
          }
        });
    return new AlertSettings(
        text(byKey, "severity", "page"),
        micros(byKey, "keep", 0),
        micros(byKey, "summarize", DEFAULT_SUMMARIZE_MICROS),
        Arrays.stream(text(byKey, "notify", "").split(",", -1))
            .map(String::strip)
            .filter(name -> !name.isEmpty())
            .toList(),
        text(byKey, "summary", ""),
        text(byKey, "runbook", ""),
        text(byKey, "borderline", "record").equals("page"),
        labels);
  }

  /** The settings in the words of the clause WITH. */
  public String text() {
    StringBuilder text = new StringBuilder("severity='" + severity + "'");
    text.append(", keep=").append(Literals.duration(keepMicros));
    text.append(", summarize=").append(Literals.duration(summarizeMicros));
    text.append(", borderline='").append(pagesBorderline ? "page" : "record").append('\'');
    if (!receivers.isEmpty()) {
      text.append(", notify='").append(String.join(",", receivers)).append('\'');
    }
    return text.toString();
  }

  private static String text(Map<String, Setting> settings, String key, String absent) {
    Setting setting = settings.get(key);
    return setting != null && setting.value() instanceof StringValue text ? text.value() : absent;
  }

  private static long micros(Map<String, Setting> settings, String key, long absent) {
    Setting setting = settings.get(key);
    return setting != null && setting.value() instanceof DurationValue duration
        ? duration.micros()
        : absent;
  }

  private static void check(Setting setting, List<Diagnostic> problems) {
    String key = setting.key();
    boolean isLabel = key.startsWith(LABEL) && key.length() > LABEL.length();
    List<String> wrong = new ArrayList<>();
    String help = "the settings are " + String.join(", ", KEYS);
    if (!isLabel && !KEYS.contains(key)) {
      wrong.add("there is no setting " + key);
      help =
          Spelling.nearest(key, KEYS).map(near -> "did you mean " + near + "? ").orElse("") + help;
    } else if (DURATIONS.containsKey(key) != setting.value() instanceof DurationValue) {
      wrong.add(key + (DURATIONS.containsKey(key) ? " needs a duration" : " needs a string"));
      help = "write %s=%s".formatted(key, DURATIONS.getOrDefault(key, "'...'"));
    } else if (setting.value() instanceof StringValue text) {
      checkText(key, text.value(), wrong);
    }
    for (String reason : wrong) {
      problems.add(ErrorCode.NOT_IN_ALERT.at(setting.range(), reason).withHelp(help));
    }
  }

  private static void checkText(String key, String text, List<String> wrong) {
    if (key.equals("borderline") && !text.equals("page") && !text.equals("record")) {
      wrong.add("borderline is 'page' or 'record', not '%s'".formatted(text));
    }
    if (key.equals("runbook") && !text.startsWith("https://") && !text.startsWith("http://")) {
      wrong.add("runbook needs an address that begins with https:// or http://");
    }
    if (key.equals("severity") && text.isBlank()) {
      wrong.add("severity must not be empty");
    }
  }
}
