// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.explain;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.cut.EventSource.Sighting;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.explain.Finding.Part;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The nearest cuts before and after one at which a predicate is not TRUE. A set of witnesses keeps
 * it TRUE from its latest write to its first replacement, so that only the cuts there are tried.
 */
final class NearestCuts {
  /** The most sets of witnesses, one after the other, in each direction. */
  static final int MAX_STEPS = 8;

  private final ExplainedQuery query;
  private final View view;
  private final Expression predicate;
  private final String item;
  private final long start;

  /**
   * Creates a search.
   *
   * @param start packed, the first stamp of the query's range
   */
  NearestCuts(ExplainedQuery query, View view, Expression predicate, String item, long start) {
    this.query = query;
    this.view = view;
    this.predicate = predicate;
    this.item = item;
    this.start = start;
  }

  /** Returns the sentences about both cuts. */
  List<Finding> of(long cut, List<Witness> witnesses) {
    List<Finding> findings = new ArrayList<>();
    findings.add(before(cut, witnesses));
    findings.add(after(cut, witnesses));
    return findings;
  }

  private Finding before(long cut, List<Witness> witnesses) {
    List<Witness> now = witnesses;
    for (int step = 0; step < MAX_STEPS && !now.isEmpty(); step++) {
      Witness latest = now.get(now.size() - 1);
      long since = latest.since();
      if (since == HlcTimestamp.MIN_PACKED) {
        return Finding.of(Part.NEAREST, cut, "Before: it also held with nothing recorded.");
      }
      Optional<List<Witness>> earlier = witnesses(since - 1);
      if (earlier.isEmpty()) {
        String text =
            "Before: it did not hold until %s, when %s."
                .formatted(Sentences.time(since), change(latest));
        return finding(latest, since, text);
      }
      now = earlier.get();
    }
    return Finding.of(Part.NEAREST, cut, "Before: " + unfinished(now));
  }

  /** The search has an end, so that a cut that it did not find may still exist. */
  private static String unfinished(List<Witness> earliest) {
    return earliest.isEmpty()
        ? "it also held whatever the values were; earlier cuts were not tried."
        : "it also held before each of the last %d changes of what it rests on; earlier ones were not tried."
            .formatted(MAX_STEPS);
  }

  private static String change(Witness witness) {
    return witness
        .event()
        .map(event -> Sentences.of(event, witness.variable()::equals))
        .orElse(Sentences.shortened(witness.node()) + " changed " + witness.variable());
  }

  private static Finding finding(Witness witness, long hlc, String text) {
    return new Finding(Part.NEAREST, witness.node(), hlc, witness.path(), witness.value(), text);
  }

  private Finding after(long cut, List<Witness> witnesses) {
    if (witnesses.stream().anyMatch(Witness::momentary)) {
      return Finding.of(
          Part.NEAREST, cut, "After: it rests on what has a value at exactly this stamp only.");
    }
    List<Witness> now = witnesses;
    long at = cut;
    for (int step = 0; step < MAX_STEPS; step++) {
      Aftermath after = new Aftermath(view, now, List.of(), at);
      Optional<Event> first =
          now.stream()
              .flatMap(witness -> after.end(witness).stream())
              .min(Comparator.comparingLong(Event::hlc));
      Optional<Sighting> arrival =
          arrival(new HlcRange(at + 1, first.map(Event::hlc).orElse(HlcTimestamp.MAX_PACKED)));
      if (first.isEmpty() && arrival.isEmpty()) {
        return Finding.of(
            Part.NEAREST,
            cut,
            after.isComplete()
                ? "After: it holds to the end of what is recorded."
                : "After: it holds for the next %,d events.".formatted(Aftermath.MAX_READ));
      }
      at = arrival.map(Sighting::hlc).orElseGet(() -> first.orElseThrow().hlc());
      Optional<List<Witness>> later = witnesses(at);
      if (later.isEmpty()) {
        String node = arrival.map(Sighting::node).orElseGet(() -> first.orElseThrow().node());
        String change =
            arrival
                .map(seen -> Sentences.shortened(seen.node()) + " was first seen")
                .orElseGet(() -> Sentences.of(first.orElseThrow()));
        String text =
            "After: it holds no longer at %s, when %s.".formatted(Sentences.time(at), change);
        return new Finding(Part.NEAREST, node, at, "", NullValue.NULL, text);
      }
      now = later.get();
    }
    String text =
        "After: it still holds after each of the next %d changes of what it rests on; later ones were not tried."
            .formatted(MAX_STEPS);
    return Finding.of(Part.NEAREST, cut, text);
  }

  /**
   * The first node that is seen in a range: a predicate over the nodes before need not stay TRUE.
   */
  private Optional<Sighting> arrival(HlcRange range) {
    return view.arrivals().stream().filter(seen -> range.contains(seen.hlc())).findFirst();
  }

  /** The witnesses at another cut; empty if the predicate is not TRUE there. */
  private Optional<List<Witness>> witnesses(long hlc) {
    CutProbe probe = CutProbe.at(query, view, start, hlc);
    return probe.questions().stream()
        .filter(question -> question.item().equals(item))
        .findFirst()
        .filter(probe::holds)
        .map(question -> new Witnesses(probe, view).of(question, predicate));
  }
}
