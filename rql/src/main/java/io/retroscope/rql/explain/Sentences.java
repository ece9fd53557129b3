// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.explain;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.Value;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.RqlFormatter;
import io.retroscope.rql.print.ValueText;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The words for events and times, with one template for each kind of event. */
final class Sentences implements EventBody.Visitor<String> {
  private static final int MAX_TEXT = 60;
  private static final int MAX_PREDICATE = 200;
  private static final int MAX_CHANGES = 4;

  private final Predicate<String> variables;

  private Sentences(Predicate<String> variables) {
    this.variables = variables;
  }

  /** Returns what a node did, such as {@code b set holds = true}. */
  static String of(Event event) {
    return of(event, variable -> true);
  }

  /**
   * Returns what a node did.
   *
   * @param variables selects the changes that are named, if there are any of these
   */
  static String of(Event event, Predicate<String> variables) {
    return shortened(event.node()) + " " + event.body().accept(new Sentences(variables));
  }

  /** The time of day of a stamp, in milliseconds or, if it is between two of them, microseconds. */
  static String time(long hlc) {
    String iso = HlcTimestamp.isoMicros(HlcTimestamp.micros(hlc));
    int day = iso.indexOf('T');
    String time = iso.substring(day + 1, iso.length() - 1);
    return time.endsWith("000") ? time.substring(0, time.length() - 3) : time;
  }

  static String duration(long micros) {
    if (micros >= 1_000_000) {
      return String.format(Locale.ROOT, "%,.3f s", micros / 1e6);
    }
    return micros >= 1_000 ? String.format(Locale.ROOT, "%.3f ms", micros / 1e3) : micros + " µs";
  }

  static String shortened(Value value) {
    return shortened(ValueText.of(value));
  }

  static String shortened(String text) {
    return shortened(text, MAX_TEXT);
  }

  private static String shortened(String text, int most) {
    String printable = ValueText.printable(text);
    if (printable.codePointCount(0, printable.length()) <= most) {
      return printable;
    }
    return printable.substring(0, printable.offsetByCodePoints(0, most)) + "...";
  }

  static String predicate(Expression predicate) {
    return shortened(RqlFormatter.format(predicate), MAX_PREDICATE);
  }

  @Override
  public String stateChange(EventBody.StateChange state) {
    List<Change> named =
        state.changes().stream().filter(change -> variables.test(change.variable())).toList();
    List<Change> shown = named.isEmpty() ? state.changes() : named;
    String text =
        shown.stream().limit(MAX_CHANGES).map(Sentences::change).collect(Collectors.joining(", "));
    return shown.size() > MAX_CHANGES
        ? text + " and " + (shown.size() - MAX_CHANGES) + " more"
        : text;
  }

  private static String change(Change change) {
    String value = shortened(change.value());
    return switch (change.operation()) {
      case SET -> "set " + change.variable() + " = " + value;
      case ADD -> "added " + value + " to " + change.variable();
      case REMOVE -> "removed " + value + " from " + change.variable();
      case UNSET -> "unset " + change.variable();
    };
  }

  @Override
  public String logLine(EventBody.LogLine line) {
    String fields =
        line.fields().entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .limit(MAX_CHANGES)
            .map(field -> field.getKey() + " = " + shortened(field.getValue()))
            .collect(Collectors.joining(", "));
    return "logged \"" + shortened(line.message()) + "\"" + (fields.isEmpty() ? "" : ", " + fields);
  }

  @Override
  public String send(EventBody.Send send) {
    return "sent "
        + message(send.id())
        + (send.to().isEmpty() ? "" : " to " + shortened(send.to()));
  }

  @Override
  public String receive(EventBody.Receive receive) {
    return "received "
        + message(receive.id())
        + (receive.from().isEmpty() ? "" : " from " + shortened(receive.from()));
  }

  /** The name of a message. */
  static String message(String id) {
    return "message \"" + shortened(id) + "\"";
  }

  @Override
  public String heartbeat(EventBody.Heartbeat heartbeat) {
    return "sent a heartbeat";
  }

  @Override
  public String start(EventBody.Start start) {
    return "started";
  }

  @Override
  public String stop(EventBody.Stop stop) {
    return "stopped";
  }
}
