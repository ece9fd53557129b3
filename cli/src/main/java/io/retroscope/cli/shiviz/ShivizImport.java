// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shiviz;

import io.retroscope.cli.shiviz.ShivizLog.Execution;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.recordings.textlog.TextType;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.json.EventConsumer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The conversion of ShiViz logs to events. */
public final class ShivizImport {
  /** The start of the first execution, if entries have no readings of clocks. */
  private static final long FIRST_MICROS = 1_000_000;

  private static final long STEP_MICROS = 1_000;

  private final String log;
  private final boolean allowsGaps;
  private final List<Event> events = new ArrayList<>();
  private final List<Gap> gaps = new ArrayList<>();
  private final Set<String> incarnations = new HashSet<>();
  private long startMicros = FIRST_MICROS;
  private long messageCount;

  private ShivizImport(String log, boolean allowsGaps) {
    this.log = log;
    this.allowsGaps = allowsGaps;
  }

  /**
   * The result of an import.
   *
   * @param events ordered by stamp
   * @param gaps the events that are missing
   * @param entryCount the number of events in ShiViz's sense
   */
  public record Result(
      List<Event> events,
      List<Gap> gaps,
      long entryCount,
      int nodeCount,
      long messageCount,
      int executionCount) {
    /** Copies the events and gaps. */
    public Result {
      events = List.copyOf(events);
      gaps = List.copyOf(gaps);
    }

    /** Passes on all events and gaps. */
    public void give(EventConsumer consumer) throws IOException {
      for (Event event : events) {
        consumer.event(event);
      }
      for (Gap gap : gaps) {
        consumer.gap(gap);
      }
    }
  }

  /**
   * How texts are read.
   *
   * @param log the log of the resulting events
   * @param expression empty to use a first line's, otherwise GoVector's usual one
   * @param delimiter of executions; empty for a second line's, if there is one
   * @param allowsGaps whether events, and whole hosts, may be missing
   */
  public record Form(
      String log, Optional<String> expression, Optional<String> delimiter, boolean allowsGaps) {}

  /**
   * Reads the texts of one or more files. Without a delimiter they are the parts of one execution,
   * such as the logs of its hosts; with one, each file's executions follow those of the previous
   * file.
   *
   * @param texts the content of each file by its name, in order
   * @throws io.retroscope.cli.file.InputException if the input is invalid; the message has file,
   *     line and reason
   */
  public static Result read(Map<String, String> texts, Form form) {
    List<Execution> executions = new ArrayList<>();
    boolean several = false;
    for (Map.Entry<String, String> text : texts.entrySet()) {
      List<Execution> found =
          new ShivizLog(text.getKey(), text.getValue(), form.expression, form.delimiter)
              .executions();
      several |= found.size() > 1;
      executions.addAll(found);
    }
    if (!several && form.delimiter.isEmpty()) {
      List<LogEntry> all =
          executions.stream().flatMap(execution -> execution.entries().stream()).toList();
      executions = List.of(new Execution("", all));
    }
    return new ShivizImport(form.log, form.allowsGaps).convert(executions);
  }

  private Result convert(List<Execution> executions) {
    for (int i = 0; i < executions.size(); i++) {
      String number = executions.size() == 1 ? "" : Integer.toString(i + 1);
      add(executions.get(i), number);
    }
    List<LogEntry> all =
        executions.stream().flatMap(execution -> execution.entries().stream()).toList();
    int nodeCount = (int) all.stream().map(LogEntry::host).distinct().count();
    events.sort((a, b) -> Long.compare(a.hlc(), b.hlc()));
    return new Result(events, gaps, all.size(), nodeCount, messageCount, executions.size());
  }

  /**
   * Adds one execution after the previous ones.
   *
   * @param number distinguishes it and its messages from others; empty if there are no others
   */
  private void add(Execution execution, String number) {
    List<LogEntry> entries = execution.entries();
    CausalOrder order = new CausalOrder(entries, allowsGaps);
    List<List<EventBody>> receives = emptyLists(entries.size());
    List<List<EventBody>> sends = emptyLists(entries.size());
    String prefix = number.isEmpty() ? "" : number + "/";
    for (CausalOrder.Arrow arrow : order.arrows()) {
      LogEntry from = entries.get(arrow.from());
      LogEntry to = entries.get(arrow.to());
      String id = "%s%s:%d>%s:%d".formatted(prefix, from.host(), from.own(), to.host(), to.own());
      sends.get(arrow.from()).add(new EventBody.Send(to.host(), id));
      receives.get(arrow.to()).add(new EventBody.Receive(from.host(), id));
      messageCount++;
    }
    Map<String, TextType> types = types(entries);
    List<List<EventBody>> bodies = emptyLists(entries.size());
    for (int i = 0; i < entries.size(); i++) {
      bodies.get(i).addAll(receives.get(i));
      values(entries.get(i), types).ifPresent(bodies.get(i)::add);
      bodies.get(i).add(new EventBody.LogLine(entries.get(i).text(), Map.of()));
      bodies.get(i).addAll(sends.get(i));
    }
    place(entries, bodies, order, incarnation(execution.name(), number));
  }

  /** The lifetime of an execution's hosts; empty if it is the only one, and has no name. */
  private String incarnation(String name, String number) {
    String plain = name.isEmpty() && !number.isEmpty() ? "execution " + number : name;
    String distinct = incarnations.contains(plain) ? plain + " (" + number + ")" : plain;
    incarnations.add(distinct);
    return distinct;
  }

  private void place(
      List<LogEntry> entries, List<List<EventBody>> bodies, CausalOrder order, String incarnation) {
    ExecutionStamps stamps = new ExecutionStamps(entries, order, startMicros);
    long[] first = new long[entries.size()];
    for (int index : order.inOrder()) {
      long stamp = stamps.first(index, bodies.get(index).size());
      first[index] = stamp;
      LogEntry entry = entries.get(index);
      for (EventBody body : bodies.get(index)) {
        events.add(
            new Event(
                entry.host(),
                log,
                stamp++,
                stamps.physical(index),
                Event.NO_SEQUENCE,
                Set.of(),
                body));
      }
    }
    if (!incarnation.isEmpty()) {
      addLifetimes(entries, incarnation, stamps);
    }
    order.holes().forEach(hole -> gaps.add(gap(hole, first, stamps).of(incarnation)));
    startMicros = HlcTimestamp.micros(stamps.end()) + STEP_MICROS;
  }

  /** The loss between the stamps of the host's events around it. */
  private static Gap gap(CausalOrder.Hole hole, long[] first, ExecutionStamps stamps) {
    long from = hole.before() < 0 ? stamps.start() : first[hole.before()];
    long to = hole.after() < 0 ? stamps.end() : first[hole.after()];
    return new Gap(hole.host(), new HlcRange(from, to), hole.count());
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
  private void addLifetimes(List<LogEntry> entries, String incarnation, ExecutionStamps stamps) {
    for (String host :
        entries.stream().map(LogEntry::host).collect(Collectors.toCollection(TreeSet::new))) {
      EventBody start =
          new EventBody.Start(incarnation, HlcTimestamp.MIN_PACKED, "", EventBody.Spill.COMPLETE);
      events.add(new Event(host, "", stamps.start(), start));
      events.add(new Event(host, "", stamps.end(), new EventBody.Stop()));
    }
  }

  private static Optional<EventBody> values(LogEntry entry, Map<String, TextType> types) {
    Map<String, Value> values = new LinkedHashMap<>();
    entry
        .fields()
        .forEach(
            (name, text) -> {
              if (!name.equals(LogEntry.PHYSICAL)) {
                values.put(name, types.getOrDefault(name, TextType.STRING).value(text));
              }
            });
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
