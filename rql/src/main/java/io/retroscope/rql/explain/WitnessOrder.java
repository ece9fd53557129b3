// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.explain;

import io.retroscope.event.Event;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.state.CutTime;
import io.retroscope.rql.explain.Finding.Part;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The sentences about what the order of witnesses rests on: messages, clocks, or nothing. */
final class WitnessOrder {
  /** The most pairs of witnesses. */
  private static final int MAX_PAIRS = 6;

  private final View view;
  private final ClockOffsets clocks;
  private final Aftermath after;
  private final long cut;

  WitnessOrder(View view, Aftermath after, long cut) {
    this.view = view;
    this.clocks = view.clockOffsets();
    this.after = after;
    this.cut = cut;
  }

  /**
   * Returns a sentence for each pair of different nodes.
   *
   * @param witnesses in the order of their writes
   */
  List<Finding> of(List<Witness> witnesses) {
    List<Finding> findings = new ArrayList<>();
    Set<List<Event>> compared = new HashSet<>();
    for (int later = witnesses.size() - 1; later > 0; later--) {
      for (int earlier = later - 1; earlier >= 0; earlier--) {
        Witness first = witnesses.get(earlier);
        Witness second = witnesses.get(later);
        boolean known = first.event().isPresent() && second.event().isPresent();
        if (known
            && !first.node().equals(second.node())
            && compared.add(List.of(first.event().get(), second.event().get()))
            && compared.size() <= MAX_PAIRS) {
          findings.add(Finding.of(Part.ORDER, cut, sentence(first, second)));
        }
      }
    }
    if (compared.size() > MAX_PAIRS) {
      String rest = (compared.size() - MAX_PAIRS) + " more pairs of witnesses are not compared.";
      findings.add(Finding.of(Part.ORDER, cut, rest));
    }
    return findings;
  }

  private String sentence(Witness first, Witness second) {
    Event write = second.event().orElseThrow();
    String pair =
        "%s's %s and %s's %s: "
            .formatted(
                Sentences.shortened(first.node()),
                first.variable(),
                Sentences.shortened(second.node()),
                second.variable());
    if (first.momentary() || second.momentary()) {
      return pair + order(first.event().orElseThrow(), write);
    }
    Optional<Event> end = after.end(first);
    if (end.isPresent()) {
      return pair + order(write, end.get());
    }
    return pair
        + (after.isComplete()
            ? "certain: neither is replaced later, so that both hold in every order of events."
            : "open: the end of the first was not found in the next %,d events."
                .formatted(Aftermath.MAX_READ));
  }

  /**
   * What the order of two events rests on. Two values certainly hold together if the second begins
   * before the first ends.
   */
  private String order(Event first, Event second) {
    String events = told(first) + " is before " + told(second);
    return switch (MessagePath.search(view, first, second)) {
      case FOUND -> "certain: ordered by a message, " + events + ".";
      case NONE -> clocks(first, second, events);
      case NOT_SEARCHED ->
          "open: more than %,d events are between, in which no message was searched."
              .formatted(MessagePath.MAX_READ);
    };
  }

  private static String told(Event event) {
    return "\"%s\" at %s".formatted(Sentences.of(event), Sentences.time(event.hlc()));
  }

  private String clocks(Event first, Event second, String events) {
    CutTime.Origin one = CutTime.of(first, clocks).origin();
    CutTime.Origin other = CutTime.of(second, clocks).origin();
    if (!isBounded(one) || !isBounded(other)) {
      return "concurrent, another order was possible: no message shows that " + events + ".";
    }
    if (one.highMicros() < other.lowMicros()) {
      return "ordered by clocks, which leave at least %s between: %s."
          .formatted(Sentences.duration(other.lowMicros() - one.highMicros()), events);
    }
    long open = (one.highMicros() - one.lowMicros() + other.highMicros() - other.lowMicros()) / 2;
    return "ordered by clocks, which leave it open by ±%s, another order was possible: %s."
        .formatted(Sentences.duration(open), events);
  }

  private static boolean isBounded(CutTime.Origin origin) {
    return origin.lowMicros() != Long.MIN_VALUE && origin.highMicros() != Long.MAX_VALUE;
  }
}
