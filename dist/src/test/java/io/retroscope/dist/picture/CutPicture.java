// SPDX-License-Identifier: Apache-2.0
package io.retroscope.dist.picture;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.dist.picture.Svg.Scheme;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody.Receive;
import io.retroscope.event.EventBody.Send;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.recordings.file.EventFileSet;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.LocalSession;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.evaluation.QueryLimits;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * A stale replica in a recording of the ZooKeeper demonstration: a lane for each server, the
 * messages between them, the stretch in which one of them is {@value #STALE} versions behind, and a
 * cut with the values at it. In the moving picture the cut passes over the stretch.
 *
 * <p>The states and the stretch are answers of RQL over the recording.
 */
final class CutPicture {
  private static final int STALE = 2;
  private static final List<String> NODES = List.of("zk1", "zk2", "zk3");
  private static final String QUERY = "SELECT r1 FROM setd WHEN SPREAD(r1) >= " + STALE;

  private static final int WIDTH = 960;
  private static final int HEIGHT = 330;
  private static final int LEFT = 84;
  private static final int RIGHT = 936;
  private static final int FIRST_LANE = 112;
  private static final int LANE_HEIGHT = 72;
  private static final int TOP = 76;
  private static final int BOTTOM = FIRST_LANE + 2 * LANE_HEIGHT + 36;
  private static final long BEFORE_MICROS = 110_000;
  private static final long AFTER_MICROS = 150_000;
  private static final int SECONDS = 14;

  /** The values at the cuts from one stamp to the next. */
  private record State(double micros, List<Long> values) {
    long spread() {
      return values.stream().max(Long::compare).orElseThrow()
          - values.stream().min(Long::compare).orElseThrow();
    }
  }

  private record Message(int from, double sent, int to, double received) {}

  private final List<State> states = new ArrayList<>();
  private final List<Message> messages = new ArrayList<>();
  private double staleFrom;
  private double staleUntil;
  private double from;
  private double until;

  private CutPicture() {}

  /**
   * Reads a recording, around its longest stretch.
   *
   * @throws IOException if it cannot be read
   */
  static CutPicture of(Path recording) throws IOException {
    CutPicture picture = new CutPicture();
    try (LocalSession session =
        EventFileSet.of(recording, events -> ClockOffsets.UNKNOWN).session(QueryLimits.DEFAULT)) {
      picture.readStretch(session);
      picture.readStates(session);
      picture.readMessages(session);
    }
    return picture;
  }

  private void readStretch(LocalSession session) throws IOException {
    Answer stretches = Answer.of(session, QUERY + " EMIT INTERVALS");
    for (Row row : stretches.rows) {
      double start = HlcTimestamp.micros(row.hlc());
      double length = stretches.number(row, "durationMicros");
      if (!stretches.isTrue(row, "open") && length > staleUntil - staleFrom) {
        staleFrom = start;
        staleUntil = start + length;
      }
    }
    from = staleFrom - BEFORE_MICROS;
    until = staleUntil + AFTER_MICROS;
  }

  private void readStates(LocalSession session) throws IOException {
    List<String> values = NODES.stream().map(node -> "r1@" + node).toList();
    String query = "SELECT %s FROM setd WHEN COUNT(r1) = 3".formatted(String.join(", ", values));
    Answer cuts = Answer.of(session, query);
    State last = null;
    for (Row row : cuts.rows) {
      State state =
          new State(
              HlcTimestamp.micros(row.hlc()),
              values.stream().map(column -> cuts.number(row, column)).toList());
      if (state.micros() <= from) {
        last = new State(from, state.values());
      } else if (state.micros() < until) {
        states.add(state);
      }
    }
    states.add(0, Objects.requireNonNull(last));
  }

  private void readMessages(LocalSession session) {
    Map<String, Event> sends = new HashMap<>();
    try (View view = session.events().open()) {
      Iterator<Event> events = view.scan(Set.of("quorum"), HlcRange.ALL);
      while (events.hasNext()) {
        Event event = events.next();
        if (event.body() instanceof Send send) {
          sends.put(send.id(), event);
        } else if (event.body() instanceof Receive receive && sends.containsKey(receive.id())) {
          add(sends.get(receive.id()), event);
        }
      }
    }
  }

  private void add(Event send, Event receive) {
    double sent = HlcTimestamp.micros(send.hlc());
    double received = HlcTimestamp.micros(receive.hlc());
    if (received >= from && sent <= until) {
      messages.add(
          new Message(NODES.indexOf(send.node()), sent, NODES.indexOf(receive.node()), received));
    }
  }

  /** Draws the picture with the cut in the middle of the stretch. */
  String still(Scheme scheme) {
    Svg svg = scene(scheme);
    double at = staleFrom + 0.4 * (staleUntil - staleFrom);
    State state = states.get(0);
    for (State next : states) {
      state = next.micros() <= at ? next : state;
    }
    svg.add("<g transform=\"translate(%.1f 0)\">", x(at));
    cutLine(svg, scheme);
    for (int node = 0; node < NODES.size(); node++) {
      value(svg, scheme, node, state, "");
    }
    spread(svg, scheme, state, "");
    return svg.add("</g>").end();
  }

  /** Draws the picture with a cut that moves from the left to the right, again and again. */
  String moving(Scheme scheme) {
    Svg svg = scene(scheme);
    svg.add("<g>");
    svg.add(
        "<animateTransform attributeName=\"transform\" type=\"translate\" from=\"%d 0\""
            + " to=\"%d 0\" dur=\"%ds\" repeatCount=\"indefinite\"/>",
        LEFT, RIGHT, SECONDS);
    cutLine(svg, scheme);
    for (int node = 0; node < NODES.size(); node++) {
      for (int i = 0; i < states.size(); ) {
        int next = i + 1;
        while (next < states.size() && isSame(states.get(i), states.get(next), node)) {
          next++;
        }
        value(svg, scheme, node, states.get(i), visible(i, next));
        i = next;
      }
    }
    for (int i = 0; i < states.size(); ) {
      int next = i + 1;
      while (next < states.size() && states.get(next).spread() == states.get(i).spread()) {
        next++;
      }
      spread(svg, scheme, states.get(i), visible(i, next));
      i = next;
    }
    return svg.add("</g>").end();
  }

  /** Whether a value looks the same in two states: the same number in the same colour. */
  private static boolean isSame(State a, State b, int node) {
    return a.values().get(node).equals(b.values().get(node))
        && isStale(a, node) == isStale(b, node);
  }

  private static boolean isStale(State state, int node) {
    long newest = state.values().stream().max(Long::compare).orElseThrow();
    return newest - state.values().get(node) >= STALE;
  }

  private String visible(int first, int next) {
    double begin = (states.get(first).micros() - from) / (until - from);
    double end = next < states.size() ? (states.get(next).micros() - from) / (until - from) : 1;
    String values = first == 0 ? "1" : "0;1";
    String times = first == 0 ? "0" : String.format(Locale.ROOT, "0;%.4f", begin);
    if (next < states.size()) {
      values += ";0";
      times += String.format(Locale.ROOT, ";%.4f", end);
    }
    return String.format(
        Locale.ROOT,
        "<animate attributeName=\"opacity\" calcMode=\"discrete\" values=\"%s\" keyTimes=\"%s\""
            + " dur=\"%ds\" repeatCount=\"indefinite\"/>",
        values,
        times,
        SECONDS);
  }

  private Svg scene(Scheme scheme) {
    Svg svg =
        new Svg(
            WIDTH,
            HEIGHT,
            scheme,
            "Three ZooKeeper servers, the messages between them, and a cut at which one is stale");
    svg.text(LEFT, 30, "font-family=\"monospace\" fill=\"" + scheme.ink() + "\"", QUERY);
    svg.text(
        RIGHT,
        30,
        "text-anchor=\"end\" fill=\"" + scheme.faint() + "\"",
        "r1: the version of a znode, at each server");
    svg.add(
        "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>",
        x(staleFrom), TOP, x(staleUntil) - x(staleFrom), BOTTOM - TOP, scheme.badBack());
    svg.text(
        x(staleUntil) - 6,
        BOTTOM - 8,
        "text-anchor=\"end\" fill=\"" + scheme.bad() + "\"",
        String.format(Locale.ROOT, "stale for %.0f ms", (staleUntil - staleFrom) / 1e3));
    axis(svg, scheme);
    svg.add(
        "<clipPath id=\"lanes\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/></clipPath>",
        LEFT, TOP, RIGHT - LEFT, BOTTOM - TOP);
    svg.add("<g clip-path=\"url(#lanes)\">");
    for (Message message : messages) {
      svg.line(
          x(message.sent()),
          lane(message.from()),
          x(message.received()),
          lane(message.to()),
          "stroke=\"" + scheme.faint() + "\" stroke-width=\"1\" opacity=\"0.75\"");
    }
    svg.add("</g>");
    lanes(svg, scheme);
    return svg;
  }

  private void axis(Svg svg, Scheme scheme) {
    for (int millis = -100; millis * 1_000L <= until - staleFrom; millis += 100) {
      double x = x(staleFrom + millis * 1e3);
      svg.line(x, BOTTOM, x, BOTTOM + 5, "stroke=\"" + scheme.faint() + "\"");
      svg.text(
          x,
          BOTTOM + 22,
          "text-anchor=\"middle\" font-size=\"12\" fill=\"" + scheme.faint() + "\"",
          millis == 0 ? "0 ms" : String.format(Locale.ROOT, "%+d", millis));
    }
    svg.line(LEFT, BOTTOM, RIGHT, BOTTOM, "stroke=\"" + scheme.rule() + "\"");
  }

  private void lanes(Svg svg, Scheme scheme) {
    for (int node = 0; node < NODES.size(); node++) {
      double y = lane(node);
      svg.line(LEFT, y, RIGHT, y, "stroke=\"" + scheme.event() + "\" stroke-width=\"2\"");
      svg.text(
          LEFT - 30,
          y + 5,
          "text-anchor=\"end\" font-weight=\"600\" fill=\"" + scheme.ink() + "\"",
          NODES.get(node));
      for (int i = 1; i < states.size(); i++) {
        if (!states.get(i).values().get(node).equals(states.get(i - 1).values().get(node))) {
          svg.add(
              "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>",
              x(states.get(i).micros()), y, scheme.event());
        }
      }
    }
  }

  private static void cutLine(Svg svg, Scheme scheme) {
    svg.line(0, TOP - 8, 0, BOTTOM, "stroke=\"" + scheme.cut() + "\" stroke-width=\"3\"");
  }

  private static void value(Svg svg, Scheme scheme, int node, State state, String animation) {
    boolean stale = isStale(state, node);
    svg.add("<g%s>%s", animation.isEmpty() ? "" : " opacity=\"0\"", animation);
    svg.add(
        "<rect x=\"-22\" y=\"%.1f\" width=\"44\" height=\"26\" rx=\"5\" fill=\"%s\" stroke=\"%s\""
            + " stroke-width=\"2\"/>",
        lane(node) - 13, scheme.back(), stale ? scheme.bad() : scheme.cut());
    svg.text(
        0,
        lane(node) + 5,
        "text-anchor=\"middle\" font-weight=\"600\" fill=\""
            + (stale ? scheme.bad() : scheme.ink())
            + "\"",
        Long.toString(state.values().get(node)));
    svg.add("</g>");
  }

  private static void spread(Svg svg, Scheme scheme, State state, String animation) {
    boolean stale = state.spread() >= STALE;
    svg.add(
        "<text x=\"0\" y=\"%d\" text-anchor=\"middle\" font-weight=\"600\" fill=\"%s\"%s>"
            + "SPREAD(r1) = %d%s</text>",
        TOP - 16,
        stale ? scheme.bad() : scheme.cut(),
        animation.isEmpty() ? "" : " opacity=\"0\"",
        state.spread(),
        animation);
  }

  private double x(double micros) {
    return LEFT + (micros - from) / (until - from) * (RIGHT - LEFT);
  }

  private static double lane(int node) {
    return FIRST_LANE + (double) LANE_HEIGHT * node;
  }

  /** The rows of a query. */
  private static final class Answer implements RowSink {
    private final List<Row> rows = new ArrayList<>();
    private List<String> columns = List.of();

    static Answer of(LocalSession session, String query) throws IOException {
      Answer answer = new Answer();
      session.run(query, answer);
      return answer;
    }

    long number(Row row, String column) {
      return ((LongValue) row.values().get(columns.indexOf(column))).value();
    }

    boolean isTrue(Row row, String column) {
      return row.values().get(columns.indexOf(column)).equals(new BooleanValue(true));
    }

    @Override
    public void columns(List<Column> columns) {
      this.columns = columns.stream().map(Column::name).toList();
    }

    @Override
    public boolean row(Row row) {
      return rows.add(row);
    }

    @Override
    public void warning(String message) {}
  }
}
