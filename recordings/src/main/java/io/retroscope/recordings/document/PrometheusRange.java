// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.document;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import io.retroscope.recordings.replay.ClockReading;
import io.retroscope.recordings.textlog.TextType;
import io.retroscope.rql.json.JsonValues;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A reader of Prometheus' answers to {@code query_range}: each series is a variable of a node. A
 * value is unset at the first step without one. Used once, by one thread.
 */
final class PrometheusRange {
  /** The log of series. */
  static final String LOG = "metrics";

  private static final String NAME = "__name__";
  private static final String UNNAMED = "value";

  /** The labels that name a node, the best one first. */
  private static final List<String> NODES = List.of("instance", "node", "host", "pod", "job");

  private final String name;
  private final Consumer<ClockReading> readings;
  private final SizeLimit limit;
  private final List<Series> all = new ArrayList<>();

  /** The changes of a node at one time, which are one event. */
  private final SortedMap<Long, SortedMap<String, Changes>> changes = new TreeMap<>();

  /** What changes at a node at once. */
  private static final class Changes {
    private final long line;
    private final List<Change> sets = new ArrayList<>(2);
    private final List<Change> unsets = new ArrayList<>(0);

    Changes(long line) {
      this.line = line;
    }

    void add(Change change) {
      (change.operation() == Operation.SET ? sets : unsets).add(change);
    }

    List<EventBody> bodies() {
      List<Change> all = new ArrayList<>(sets);
      all.addAll(unsets);
      return List.of(new EventBody.StateChange(all));
    }
  }

  /** A value at a time. */
  private record Sample(long micros, String text) {}

  /** A series, whose samples ascend. */
  private record Series(Map<String, String> labels, List<Sample> samples, long line) {
    /** The time of the last sample, 0 if there is none. */
    long endMicros() {
      return samples.isEmpty() ? 0 : samples.get(samples.size() - 1).micros;
    }

    /** The label that names the node; empty if there is none. */
    String nodeLabel() {
      return NODES.stream()
          .filter(label -> !labels.getOrDefault(label, "").isEmpty())
          .findFirst()
          .orElse("");
    }

    String node() {
      String found = labels.getOrDefault(nodeLabel(), "prometheus");
      return found.length() <= Event.MAX_NODE_LENGTH
          ? found
          : found.substring(0, Event.MAX_NODE_LENGTH);
    }

    String metric() {
      return labels.getOrDefault(NAME, UNNAMED);
    }
  }

  PrometheusRange(String name, Consumer<ClockReading> readings, SizeLimit limit) {
    this.name = name;
    this.readings = readings;
    this.limit = limit;
  }

  /** Reads a whole answer. */
  void read(InputStream in) {
    JsonCursor json = new JsonCursor(in);
    try {
      json.roots(
          () ->
              json.fields(
                  field -> {
                    if (field.equals("data")) {
                      json.fields(part -> data(json, part));
                    }
                  }));
    } finally {
      pass();
    }
  }

  private void data(JsonCursor json, String part) {
    if (part.equals("resultType")) {
      long line = json.line();
      String type = json.item().text();
      if (!type.equals("matrix")) {
        throw DocumentException.at(
            line,
            "this is an answer of Prometheus of the type %s: only those of query_range, of the type matrix, have times of a range"
                .formatted(type));
      }
    } else if (part.equals("result")) {
      json.elements(
          () -> {
            long line = json.line();
            add(json.item(), line);
          });
    }
  }

  private void add(Item json, long line) {
    List<Sample> samples = new ArrayList<>();
    for (Item value : json.get("values").elements()) {
      List<Item> pair = value.elements();
      if (pair.size() != 2) {
        throw DocumentException.at(line, "a sample is not a pair of time and value");
      }
      long micros = micros(pair.get(0), line);
      if (!samples.isEmpty() && micros <= samples.get(samples.size() - 1).micros) {
        throw DocumentException.at(line, "the times of a series do not ascend");
      }
      samples.add(new Sample(micros, pair.get(1).text()));
    }
    Map<String, String> labels = new TreeMap<>();
    json.get("metric").fields().forEach((label, text) -> labels.put(label, text.text()));
    limit.add(500L * (1 + samples.size()));
    all.add(new Series(labels, samples, line));
  }

  private static long micros(Item seconds, long line) {
    try {
      double micros = Math.rint(Double.parseDouble(seconds.text()) * 1e6);
      if (micros >= 0 && micros <= Span.MAX_NANOS / 1_000.0) {
        return (long) micros;
      }
    } catch (NumberFormatException e) {
      // The time is refused below.
    }
    throw DocumentException.at(line, "no time in seconds since 1970: " + seconds.text());
  }

  private void pass() {
    Map<String, Integer> sameName = new HashMap<>();
    Map<String, TextType> types = new HashMap<>();
    for (Series series : all) {
      sameName.merge(series.node() + "\n" + series.metric(), 1, Integer::sum);
      for (Sample sample : series.samples) {
        types.merge(series.metric(), type(sample.text), TextType::wider);
      }
    }
    long step = step();
    long last = all.stream().mapToLong(Series::endMicros).max().orElse(0);
    for (Series series : all) {
      boolean isAlone = sameName.getOrDefault(series.node() + "\n" + series.metric(), 1) == 1;
      String variable = isAlone ? series.metric() : labelled(series);
      pass(series, variable, types.getOrDefault(series.metric(), TextType.DOUBLE), step, last);
    }
    give();
  }

  /** The name with all other labels than the node's. */
  private static String labelled(Series series) {
    StringBuilder out = new StringBuilder(series.metric()).append('{');
    String separator = "";
    for (Map.Entry<String, String> label : series.labels.entrySet()) {
      if (!label.getKey().equals(NAME) && !label.getKey().equals(series.nodeLabel())) {
        String text = JsonValues.text(Value.of(label.getValue()));
        out.append(separator).append(label.getKey()).append('=').append(text);
        separator = ",";
      }
    }
    return out.append('}').toString();
  }

  /** The step of the query: the shortest time between two samples of a series. */
  private long step() {
    long step = Long.MAX_VALUE;
    for (Series series : all) {
      for (int i = 1; i < series.samples.size(); i++) {
        step = Math.min(step, series.samples.get(i).micros - series.samples.get(i - 1).micros);
      }
    }
    return step;
  }

  private void pass(Series series, String variable, TextType type, long step, long last) {
    for (int i = 0; i < series.samples.size(); i++) {
      Sample sample = series.samples.get(i);
      change(series, sample.micros, Optional.of(value(type, sample.text)), variable);
      boolean isLast = i + 1 == series.samples.size();
      long until = isLast ? last + 1 : series.samples.get(i + 1).micros;
      // A step may be longer by its rounding.
      if (step != Long.MAX_VALUE && until - sample.micros > step + step / 2) {
        change(series, sample.micros + step, Optional.empty(), variable);
      }
    }
  }

  private void change(Series series, long micros, Optional<Value> value, String variable) {
    Changes at =
        changes
            .computeIfAbsent(micros, time -> new TreeMap<>())
            .computeIfAbsent(series.node(), node -> new Changes(series.line));
    at.add(
        value
            .map(given -> new Change(Operation.SET, variable, given))
            .orElseGet(() -> new Change(Operation.UNSET, variable, Value.NullValue.NULL)));
  }

  private void give() {
    changes.forEach(
        (micros, nodes) ->
            nodes.forEach(
                (node, at) ->
                    readings.accept(
                        new ClockReading(node, LOG, micros, name, at.line, at.bodies(), true))));
    changes.clear();
  }

  private static TextType type(String text) {
    return TextType.of(text) == TextType.LONG ? TextType.LONG : TextType.DOUBLE;
  }

  private static Value value(TextType type, String text) {
    if (type == TextType.LONG) {
      return type.value(text);
    }
    return switch (text) {
      case "NaN" -> Value.of(Double.NaN);
      case "+Inf", "Inf" -> Value.of(Double.POSITIVE_INFINITY);
      case "-Inf" -> Value.of(Double.NEGATIVE_INFINITY);
      default -> number(text);
    };
  }

  private static Value number(String text) {
    try {
      return Value.of(Double.parseDouble(text));
    } catch (NumberFormatException e) {
      throw DocumentException.of("a sample's value is no number: " + text);
    }
  }
}
