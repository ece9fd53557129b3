// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shiviz;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.json.JsonValues;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * ShiViz's requirements for a log, as checked by its parser and its graph: the first line is the
 * expression, the second the delimiter; the expression matches in JavaScript's sense; each clock is
 * JSON that contains its own host; a host's own times are 1, 2, 3 ...; no clock refers to a missing
 * event; and each clock follows exactly from the arrows.
 */
final class ShivizRules {
  private static final String JS_SPACE =
      "\\t\\n\\x0B\\f\\r \\u00A0\\u1680\\u2000-\\u200A\\u2028\\u2029\\u202F\\u205F\\u3000\\uFEFF";
  private static final Set<String> JS_KEYS =
      Set.of(
          "constructor",
          "hasOwnProperty",
          "isPrototypeOf",
          "propertyIsEnumerable",
          "toLocaleString",
          "toString",
          "valueOf",
          "__proto__",
          "__defineGetter__",
          "__defineSetter__",
          "__lookupGetter__",
          "__lookupSetter__");

  /** An event in ShiViz. */
  record Entry(String host, Map<String, Long> clock, String text) {
    long own() {
      return clock.get(host);
    }
  }

  private final List<Entry> entries = new ArrayList<>();
  private final Map<String, List<Entry>> byHost = new LinkedHashMap<>();

  private ShivizRules() {}

  /** The entries of a log, which must satisfy every rule. */
  static List<Entry> check(String log) {
    ShivizRules rules = new ShivizRules();
    String[] lines = log.split("\n", 3);
    assertThat(lines[1]).isEmpty();
    rules.parse(lines[0], trim(lines[2]));
    rules.entries.forEach(rules::checkBounds);
    rules.checkClocks();
    return rules.entries;
  }

  private static String trim(String text) {
    return text.replaceAll("^[" + JS_SPACE + "]+|[" + JS_SPACE + "]+$", "");
  }

  private void parse(String expression, String text) {
    Matcher matcher =
        Pattern.compile(
                expression
                    .replace("{.*}", "\\{.*\\}")
                    .replace("\\S", "[^" + JS_SPACE + "]")
                    .replace(".*", "[^\\n\\r\\u2028\\u2029]*"))
            .matcher(text);
    while (matcher.find()) {
      Map<String, Long> clock = new TreeMap<>();
      ((StructValue) JsonValues.parse(matcher.group("clock")))
          .fields()
          .forEach((name, time) -> clock.put(name, ((LongValue) time).value()));
      Entry entry = new Entry(matcher.group("host"), clock, matcher.group("event"));
      assertThat(clock).containsKey(entry.host).doesNotContainValue(0L);
      assertThat(JS_KEYS).doesNotContain(entry.host);
      entries.add(entry);
      List<Entry> own = byHost.computeIfAbsent(entry.host, name -> new ArrayList<>());
      own.add(entry);
      assertThat(entry.own()).as("own times of %s", entry.host).isEqualTo(own.size());
    }
  }

  private void checkBounds(Entry entry) {
    entry.clock.forEach(
        (host, time) ->
            assertThat(byHost.getOrDefault(host, List.of()).size())
                .as("%s of %s", host, entry)
                .isGreaterThanOrEqualTo(time.intValue()));
  }

  /** Checks transitivity: an entry must know everything that the entries in its clock know. */
  private void checkClocks() {
    for (Entry entry : entries) {
      Map<String, Long> follows = new TreeMap<>();
      entry.clock.forEach(
          (host, time) -> {
            boolean own = host.equals(entry.host);
            follows.merge(host, time, Math::max);
            if (!own || time > 1) {
              Entry cause = byHost.get(host).get((int) (own ? time - 2 : time - 1));
              cause.clock.forEach((name, known) -> follows.merge(name, known, Math::max));
            }
          });
      assertThat(entry.clock).isEqualTo(follows);
    }
  }
}
