// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.print;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Heartbeat;
import io.retroscope.event.EventBody.LogLine;
import io.retroscope.event.EventBody.Receive;
import io.retroscope.event.EventBody.Send;
import io.retroscope.event.EventBody.Start;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.EventBody.Stop;
import io.retroscope.rql.cut.MessageEnd;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.cut.SentMessages;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The events before a cut as a space-time diagram: a line of characters for each node, which runs
 * down the page, a row for each event in the order of the stamps, and an arrow where a message is
 * received. It consists of ASCII characters, apart from the values, so that it survives every
 * console and report.
 *
 * <p>After Lamport, "Time, clocks, and the ordering of events in a distributed system", 1978, whose
 * figures have time upwards.
 */
public final class SpaceTimeDiagram {
  /** The most events that are drawn; earlier ones are counted. */
  static final int MAX_ROWS = 24;

  /** The most nodes that have a line; events of others are counted. */
  static final int MAX_NODES = 8;

  /** The most messages under way that are listed one by one. */
  static final int MAX_MESSAGES = 5;

  private static final int MARGIN = 16;
  private static final int MIN_WIDTH = 14;
  private static final int MAX_WIDTH = 32;
  private static final Comparator<Event> IN_ORDER =
      Comparator.comparingLong(Event::hlc)
          .thenComparing(Event::node, NaturalOrder.INSTANCE)
          .thenComparingLong(Event::sequence);

  private final long cut;
  private final List<Event> before;
  private final List<Event> shown;
  private final List<String> nodes;
  private final Map<Event, Event> sendOf = new HashMap<>();
  private final Map<Event, String> labels = new HashMap<>();
  private int width = MIN_WIDTH;

  /**
   * Prepares the drawing.
   *
   * @param events in any order
   * @param cut packed; events with this stamp are inside of it
   */
  private SpaceTimeDiagram(Iterable<Event> events, long cut) {
    this.cut = cut;
    List<Event> all = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    events.forEach(all::add);
    all.sort(IN_ORDER);
    all.removeIf(event -> !isDrawn(event, seen));
    int end = 0;
    while (end < all.size() && all.get(end).hlc() <= cut) {
      end++;
    }
    before = all.subList(0, end);
    nodes = nodes(before.subList(Math.max(0, end - MAX_ROWS), end));
    List<Event> ofNodes = before.stream().filter(event -> nodes.contains(event.node())).toList();
    shown = ofNodes.subList(Math.max(0, ofNodes.size() - MAX_ROWS), ofNodes.size());
    match(all);
    shown.stream()
        .filter(event -> !sendOf.containsKey(event))
        .forEach(event -> width = Math.max(width, 4 + ValueText.width(text(event))));
    width = Math.min(width, MAX_WIDTH);
  }

  /** Heartbeats and reports of a recorder on itself are no events of the service. */
  private static boolean isDrawn(Event event, Set<String> seen) {
    boolean first = seen.add(event.node());
    return !(event.body() instanceof EventBody.Heartbeat)
        && !(event.body() instanceof Start && first)
        && !event.log().equals("retroscope");
  }

  private static List<String> nodes(List<Event> events) {
    Set<String> latest = new HashSet<>();
    for (int i = events.size() - 1; i >= 0 && latest.size() < MAX_NODES; i--) {
      latest.add(events.get(i).node());
    }
    Set<String> ordered = new TreeSet<>(NaturalOrder.INSTANCE);
    ordered.addAll(latest);
    return List.copyOf(ordered);
  }

  /**
   * Returns the lines of the diagram; none if there is no event up to the cut.
   *
   * @param events in any order
   * @param cut packed; events with this stamp are inside of it
   */
  public static List<String> lines(Iterable<Event> events, long cut) {
    SpaceTimeDiagram diagram = new SpaceTimeDiagram(events, cut);
    return diagram.shown.isEmpty() ? List.of() : diagram.draw();
  }

  private List<String> draw() {
    List<String> lines = new ArrayList<>();
    int omitted = before.size() - shown.size();
    if (omitted > 0) {
      lines.add("(" + omitted + (omitted == 1 ? " other event" : " other events") + " before)");
    }
    StringBuilder heading = new StringBuilder(" ".repeat(MARGIN));
    nodes.forEach(node -> heading.append(cell(node)));
    lines.add(heading.toString().stripTrailing());
    shown.forEach(event -> lines.add(row(event)));
    lines.add(cutLine());
    lines.addAll(underWay());
    return lines;
  }

  private String cell(String text) {
    return ValueText.pad(shortened(text, width - 2), width, false);
  }

  private static String shortened(String text, int most) {
    String printable = ValueText.printable(text);
    if (ValueText.width(printable) <= most) {
      return printable;
    }
    StringBuilder start = new StringBuilder();
    int[] characters = printable.codePoints().toArray();
    for (int c : characters) {
      start.appendCodePoint(c);
      if (ValueText.width(start.toString()) > most - 2) {
        start.setLength(start.length() - Character.charCount(c));
        break;
      }
    }
    return start + "..";
  }

  private String row(Event event) {
    int column = nodes.indexOf(event.node());
    Event send = sendOf.get(event);
    int from = send == null ? -1 : nodes.indexOf(send.node());
    StringBuilder line = new StringBuilder(time(event.hlc()));
    if (from < 0 || from == column) {
      for (int i = 0; i < nodes.size(); i++) {
        line.append(cell(i == column ? "* " + text(event) : "|"));
      }
      return line.toString().stripTrailing();
    }
    int left = Math.min(from, column) * width;
    int right = Math.max(from, column) * width;
    for (int x = 0; x < nodes.size() * width; x++) {
      boolean lifeline = x % width == 0;
      boolean arrow = x > left && x < right;
      line.append(arrow ? (lifeline ? '+' : '-') : (lifeline ? '|' : ' '));
    }
    line.setCharAt(MARGIN + column * width, '*');
    boolean toTheRight = column > from;
    line.setCharAt(MARGIN + (toTheRight ? right - 1 : left + 1), toTheRight ? '>' : '<');
    String label = " " + labels.get(send) + " ";
    int at = MARGIN + (toTheRight ? left + 3 : right - 2 - label.length());
    line.replace(at, at + label.length(), label);
    return line.toString().stripTrailing();
  }

  private String text(Event event) {
    return event.body().accept(new Text(event));
  }

  private String time(long hlc) {
    return String.format(
        Locale.ROOT, "%+,11.3f ms  ", (HlcTimestamp.micros(hlc) - HlcTimestamp.micros(cut)) / 1e3);
  }

  private String cutLine() {
    StringBuilder line = new StringBuilder(ValueText.pad("the cut ", MARGIN, false));
    for (int x = 0; x < nodes.size() * width; x++) {
      line.append(x % width == 0 ? '|' : '=');
    }
    return line.toString().replace("the cut         ", "the cut ========");
  }

  /** Connects each receive with its send, and names both. */
  private void match(List<Event> all) {
    SentMessages<Event> sends = new SentMessages<>();
    Set<Event> visible = new HashSet<>(shown);
    for (Event event : all) {
      if (event.body() instanceof Send) {
        sends.add(MessageEnd.of(event), event);
      } else if (event.body() instanceof Receive) {
        sends.sendOf(MessageEnd.of(event)).ifPresent(send -> sendOf.put(event, send));
      }
    }
    for (Event event : all) {
      Event send = event.body() instanceof Send ? event : sendOf.get(event);
      if (send != null && (visible.contains(event) || visible.contains(send))) {
        labels.computeIfAbsent(send, named -> label(named, labels.size() + 1));
      }
    }
  }

  /** A message's own name, if it is short, otherwise a number. */
  private static String label(Event send, int number) {
    String id = ValueText.printable(((Send) send.body()).id());
    return id.isEmpty() || id.length() > MIN_WIDTH - 8 ? "#" + number : id;
  }

  /** The messages that cross the cut. */
  private List<String> underWay() {
    Map<Event, Event> receives = new HashMap<>();
    sendOf.forEach((receive, send) -> receives.merge(send, receive, SpaceTimeDiagram::earlier));
    List<String> lines = new ArrayList<>();
    int count = 0;
    for (Event send : shown) {
      Event receive = receives.get(send);
      if (send.body() instanceof Send && (receive == null || receive.hlc() > cut)) {
        count++;
        if (count <= MAX_MESSAGES) {
          lines.add(underWay(send, receive));
        }
      }
    }
    if (count > MAX_MESSAGES) {
      lines.add("under way: " + (count - MAX_MESSAGES) + " more messages");
    }
    return lines;
  }

  private static Event earlier(Event a, Event b) {
    return a.hlc() <= b.hlc() ? a : b;
  }

  private String underWay(Event send, @Nullable Event receive) {
    String to = ((Send) send.body()).to();
    String end =
        receive == null
            ? ", no receipt is recorded"
            : ", received"
                + time(receive.hlc()).stripTrailing().replaceFirst(" *\\+", " ")
                + " later";
    String receiver = receive == null ? to : receive.node();
    return "under way: %s from %s%s%s"
        .formatted(
            labels.get(send),
            ValueText.printable(send.node()),
            receiver.isEmpty() ? "" : " to " + ValueText.printable(receiver),
            end);
  }

  /** The text of an event beside its node's line. */
  private final class Text implements EventBody.Visitor<String> {
    private final Event event;

    Text(Event event) {
      this.event = event;
    }

    @Override
    public String stateChange(StateChange change) {
      return change.changes().stream().map(Text::change).collect(Collectors.joining(", "));
    }

    private static String change(Change change) {
      String value = ValueText.of(change.value());
      return switch (change.operation()) {
        case SET -> change.variable() + " = " + value;
        case ADD -> change.variable() + " + " + value;
        case REMOVE -> change.variable() + " - " + value;
        case UNSET -> change.variable() + " unset";
      };
    }

    @Override
    public String logLine(LogLine line) {
      return '"' + line.message() + '"';
    }

    @Override
    public String send(Send send) {
      String to = send.to().isEmpty() ? "" : " to " + send.to();
      return "send " + labels.getOrDefault(event, send.id()) + to;
    }

    @Override
    public String receive(Receive receive) {
      Event send = sendOf.get(event);
      String label = send == null ? receive.id() : labels.getOrDefault(send, receive.id());
      return "receive " + label + (receive.from().isEmpty() ? "" : " from " + receive.from());
    }

    @Override
    public String heartbeat(Heartbeat heartbeat) {
      return "heartbeat";
    }

    @Override
    public String start(Start start) {
      return "start";
    }

    @Override
    public String stop(Stop stop) {
      return "stop";
    }
  }
}
