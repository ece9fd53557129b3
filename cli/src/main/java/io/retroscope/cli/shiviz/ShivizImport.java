// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shiviz;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.rql.textlog.TextType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The conversion of ShiViz logs to events. */
public final class ShivizImport {
  /*
   * A vector clock contains no physical time, so time is derived from causality: one step along the
   * longest chain of causes is one millisecond, counted from one second after the epoch, and
   * entries of the same step are concurrent. The events of one entry (receives, values, text,
   * sends, in this order) share its millisecond and differ in the logical counter.
   */
  private static final long FIRST_MICROS = 1_000_000;

  private static final long STEP_MICROS = 1_000;

  private final String log;
  private final List<Event> events = new ArrayList<>();
  private long startMicros = FIRST_MICROS;
  private long messageCount;

  private ShivizImport(String log) {
    this.log = log;
  }

  /**
   * The result of an import.
   *
   * @param events ordered by stamp
   * @param entryCount the number of events in ShiViz's sense
   */
  public record Result(
      List<Event> events, long entryCount, int nodeCount, long messageCount, int executionCount) {
    /** Copies the events. */
    public Result {
      events = List.copyOf(events);
    }
  }

  /**
   * Reads the texts of one or more files. Without a delimiter they are the parts of one execution,
   * such as the logs of its hosts; with one, each file's executions follow those of the previous
   * file.
   *
   * @param texts the content of each file by its name, in order
   * @param log the log of the resulting events
   * @param expression empty to use a first line's, otherwise GoVector's usual one
   * @throws io.retroscope.cli.file.InputException if the input is invalid; the message has file,
   *     line and reason
   */
  public static Result read(
      Map<String, String> texts,
      String log,
      Optional<String> expression,
      Optional<String> delimiter) {
    List<List<LogEntry>> executions = new ArrayList<>();
    boolean several = false;
    for (Map.Entry<String, String> text : texts.entrySet()) {
      List<List<LogEntry>> found =
          new ShivizLog(text.getKey(), text.getValue(), expression, delimiter).executions();
      several |= found.size() > 1;
      executions.addAll(found);
    }
    if (!several && delimiter.isEmpty()) {
      executions = List.of(executions.stream().flatMap(List::stream).toList());
    }
    return new ShivizImport(log).convert(executions);
  }

  private Result convert(List<List<LogEntry>> executions) {
    for (int i = 0; i < executions.size(); i++) {
      add(executions.get(i), executions.size() == 1 ? "" : (i + 1) + "/");
    }
    List<LogEntry> all = executions.stream().flatMap(List::stream).toList();
    int nodeCount = (int) all.stream().map(LogEntry::host).distinct().count();
    events.sort((a, b) -> Long.compare(a.hlc(), b.hlc()));
    return new Result(events, all.size(), nodeCount, messageCount, executions.size());
  }

  /**
   * Adds one execution after the previous ones.
   *
   * @param prefix distinguishes its messages from those of others; empty if there are no others
   */
  private void add(List<LogEntry> entries, String prefix) {
    CausalOrder order = new CausalOrder(entries);
    if (!prefix.isEmpty()) {
      addLifetimes(entries, prefix, order.lastStep() + 1);
    }
    List<List<EventBody>> receives = emptyLists(entries.size());
    List<List<EventBody>> sends = emptyLists(entries.size());
    for (CausalOrder.Arrow arrow : order.arrows()) {
      LogEntry from = entries.get(arrow.from());
      LogEntry to = entries.get(arrow.to());
      String id = "%s%s:%d>%s:%d".formatted(prefix, from.host(), from.own(), to.host(), to.own());
      sends.get(arrow.from()).add(new EventBody.Send(to.host(), id));
      receives.get(arrow.to()).add(new EventBody.Receive(from.host(), id));
      messageCount++;
    }
    Map<String, TextType> types = types(entries);
    for (int i = 0; i < entries.size(); i++) {
      List<EventBody> bodies = new ArrayList<>(receives.get(i));
      values(entries.get(i), types).ifPresent(bodies::add);
      bodies.add(new EventBody.LogLine(entries.get(i).text(), Map.of()));
      bodies.addAll(sends.get(i));
      long stamp = stamp(order.step(i));
      for (EventBody body : bodies) {
        events.add(new Event(entries.get(i).host(), log, stamp++, body));
      }
    }
    startMicros += (order.lastStep() + 2) * STEP_MICROS;
  }

  /** The type of each field that the entries have. */
  private static Map<String, TextType> types(List<LogEntry> entries) {
    Map<String, TextType> types = new HashMap<>();
    for (LogEntry entry : entries) {
      entry.fields().forEach((name, text) -> types.merge(name, TextType.of(text), TextType::wider));
    }
    return types;
  }

  private static List<List<EventBody>> emptyLists(int count) {
    List<List<EventBody>> lists = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      lists.add(new ArrayList<>());
    }
    return lists;
  }

  /** Makes each execution a separate lifetime of its hosts, so that no value outlives it. */
  private void addLifetimes(List<LogEntry> entries, String prefix, int endStep) {
    String incarnation = "execution " + prefix.substring(0, prefix.length() - 1);
    for (String host :
        entries.stream().map(LogEntry::host).collect(Collectors.toCollection(TreeSet::new))) {
      events.add(
          new Event(
              host,
              "",
              stamp(0),
              new EventBody.Start(
                  incarnation, HlcTimestamp.MIN_PACKED, "", EventBody.Spill.COMPLETE)));
      events.add(new Event(host, "", stamp(endStep), new EventBody.Stop()));
    }
  }

  private long stamp(int step) {
    return HlcTimestamp.pack(startMicros + step * STEP_MICROS);
  }

  private static Optional<EventBody> values(LogEntry entry, Map<String, TextType> types) {
    Map<String, Value> values = new LinkedHashMap<>();
    entry
        .fields()
        .forEach(
            (name, text) ->
                values.put(name, types.getOrDefault(name, TextType.STRING).value(text)));
    if (values.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new EventBody.StateChange(
            values.entrySet().stream()
                .map(
                    value ->
                        new EventBody.Change(
                            EventBody.Operation.SET, value.getKey(), value.getValue()))
                .toList()));
  }
}
