// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.ast.Clauses;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.ForEach;
import io.retroscope.rql.ast.OnTime;
import io.retroscope.rql.ast.RqlFormatter;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.ast.Statement.Claim;
import io.retroscope.rql.ast.Statement.Emit;
import io.retroscope.rql.ast.Statement.Query;
import io.retroscope.rql.ast.TimePoint;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.oracle.NaiveQuery.NaiveRow;
import io.retroscope.rql.parser.OneStatement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Compares verdicts on generated claims with the cuts that the oracle lists. {@code -Doracle.seed}
 * replays one case.
 */
class VerdictOracleTest {
  /** The column of the reason in the row of a verdict. */
  private static final int REASON = 11;

  /** Every so many logs have a message that is received before it is sent, for certain. */
  private static final int CONTRADICTED_SHARE = 4;

  private static final String CONTRADICTION = "stamped as received before being sent";

  @Test
  void verdicts_onGeneratedClaims_areThoseOfTheListedCuts() {
    compare(750);
  }

  @Test
  @Tag("slow")
  void verdicts_onVeryManyGeneratedClaims_areThoseOfTheListedCuts() {
    compare(100_000);
  }

  private static void compare(int cases) {
    Map<Claim, Integer> decided = new EnumMap<>(Claim.class);
    int compared = 0;
    int inconclusive = 0;
    Map<Claim, Integer> contradictedClaims = new EnumMap<>(Claim.class);
    for (long seed : OracleTest.seeds(cases)) {
      Random random = new Random(seed);
      List<Event> events = new ArrayList<>(new RandomLog(random).events());
      if (seed % CONTRADICTED_SHARE == 0) {
        contradict(events, random);
      }
      String generated = new RandomQuery(random).text(false);
      Claim kind = List.of(Claim.values()).get(random.nextInt(3));
      Optional<String> claim = claim(kind, generated);
      if (claim.isEmpty()) {
        continue;
      }
      Optional<List<Value>> actual = verdict(events, claim.get());
      if (actual.isEmpty()) {
        continue;
      }
      Supplier<String> what = OracleTest.what(seed, claim.get(), events);
      Statement.Verdict parsed = (Statement.Verdict) OneStatement.of(claim.get());
      Query evidence = parsed.walk();
      NaiveQuery.Answer found = NaiveQuery.answer(events, evidence, OracleTest.IDLE_MICROS);
      NaiveQuery.Answer cuts =
          NaiveQuery.answer(events, everyCut(evidence), OracleTest.IDLE_MICROS);
      if (found.error() != null || cuts.error() != null) {
        continue;
      }
      compared++;
      String verdict = text(actual.get().get(0));
      inconclusive += verdict.equals("inconclusive") ? 1 : 0;
      decided.merge(kind, found.rows().isEmpty() ? 0 : 1, Integer::sum);
      List<String> contradictions = contradictions(events, claim.get(), evidence);
      Value reason = actual.get().get(REASON);
      boolean isFirst = !cuts.rows().isEmpty() && !beginsTooEarly(evidence, events);
      // v@n may read none of the nodes of a contradiction.
      boolean isCertain = !claim.get().contains("@");
      boolean contradicted =
          !contradictions.isEmpty() && (isCertain || reason.toString().contains(CONTRADICTION));
      boolean doubtful = !isFirst || contradicted || endsTooLate(evidence, events);
      assertThat(verdict).as(what).isEqualTo(expected(kind, found.rows(), doubtful));
      boolean isNamed = isFirst && contradicted && found.rows().isEmpty();
      if (found.rows().isEmpty()) {
        assertThat(reason.toString().contains(CONTRADICTION)).as(what).isEqualTo(isNamed);
      }
      if (isNamed) {
        contradictedClaims.merge(kind, isCertain ? 1 : 0, Integer::sum);
        assertThat(reason)
            .as(what)
            .isIn(
                contradictions.subList(0, isCertain ? 1 : contradictions.size()).stream()
                    .map(Value::of)
                    .toList());
      }
      assertThat(actual.get().get(1)).as(what).isEqualTo(Value.of(episodes(kind, found.rows())));
      assertThat(actual.get().get(2)).as(what).isEqualTo(first(found.rows()));
    }
    if (cases > 1) {
      assertThat(compared).as("claims that could be compared").isGreaterThan(cases / 4);
      assertThat(inconclusive).isGreaterThan(cases / 100);
      assertThat(contradictedClaims.values())
          .as("claims of each kind that are inconclusive because of messages")
          .hasSize(3)
          .allMatch(count -> count > cases / 400);
      assertThat(decided.values()).hasSize(3).allMatch(count -> count > cases / 100);
    }
  }

  /** Adds a message whose receipt has a lower stamp than its send. */
  private static void contradict(List<Event> events, Random random) {
    long received = events.get(random.nextInt(events.size())).hlc();
    long last = events.stream().mapToLong(Event::hlc).max().orElseThrow();
    add(events, "n2", received, new EventBody.Receive("n1", "early"));
    add(events, "n1", last + 10, new EventBody.Send("n2", "early"));
  }

  /** Adds an event at the first stamp from another on that its node has not used. */
  private static void add(List<Event> events, String node, long hlc, EventBody body) {
    long free = hlc;
    for (boolean isUsed = true; isUsed; ) {
      long wanted = free;
      isUsed = events.stream().anyMatch(own -> own.node().equals(node) && own.hlc() == wanted);
      free += isUsed ? 1 : 0;
    }
    events.add(new Event(node, "t", free, body));
  }

  /**
   * The sentences about messages of the claim's nodes that were received before they were sent,
   * listed from all pairs of ends.
   */
  private static List<String> contradictions(List<Event> events, String claim, Query evidence) {
    Set<String> only =
        claim.contains("AT NODES n1, n2") ? Set.of("n1", "n2") : Set.of("n1", "n2", "n3", "n4");
    Map<List<String>, List<long[]>> pairs = new HashMap<>();
    for (Event receipt : events) {
      List<Event> sends = events.stream().filter(send -> areOfOne(send, receipt)).toList();
      if (sends.stream().noneMatch(send -> send.hlc() < receipt.hlc())) {
        sends.stream()
            .filter(send -> events.stream().noneMatch(later -> isReceipt(send, later)))
            .min(Comparator.comparingLong(Event::hlc))
            .ifPresent(
                send ->
                    pairs
                        .computeIfAbsent(
                            List.of(send.node(), receipt.node()), pair -> new ArrayList<>())
                        .add(new long[] {receipt.hlc(), send.hlc()}));
      }
    }
    List<String> sentences = new ArrayList<>();
    pairs.forEach(
        (pair, ends) -> {
          long from = ends.stream().mapToLong(end -> end[0]).min().orElseThrow();
          long to = ends.stream().mapToLong(end -> end[1]).max().orElseThrow();
          if (pair.stream().anyMatch(only::contains) && from <= end(evidence, events)) {
            sentences.add(
                "%d %s from %s to %s %s stamped as received before being sent, between %s and %s"
                    .formatted(
                        ends.size(),
                        ends.size() == 1 ? "message" : "messages",
                        pair.get(0),
                        pair.get(1),
                        ends.size() == 1 ? "is" : "are",
                        HlcTimestamp.isoMicros(HlcTimestamp.micros(from)),
                        HlcTimestamp.isoMicros(HlcTimestamp.micros(to))));
          }
        });
    return sentences.stream().sorted().toList();
  }

  /** Whether a send has a receipt after it, which may be of the same message. */
  private static boolean isReceipt(Event send, Event later) {
    return areOfOne(send, later) && later.hlc() > send.hlc();
  }

  private static boolean areOfOne(Event first, Event second) {
    return first.body() instanceof EventBody.Send send
        && second.body() instanceof EventBody.Receive receive
        && send.id().equals(receive.id())
        && send.to().equals(second.node())
        && receive.from().equals(first.node());
  }

  /** The last stamp of the range that is known. */
  private static long end(Query query, List<Event> events) {
    long last = events.stream().mapToLong(Event::hlc).max().orElseThrow();
    TimePoint end =
        query.onTime().orElse(null) instanceof OnTime.Between between
            ? between.to()
            : query.onTime().orElse(null) instanceof OnTime.At at ? at.point() : null;
    return end instanceof TimePoint.Hlc hlc ? Math.min(last, hlc.packed()) : last;
  }

  /** A claim with the predicate, the range and the nodes of a query; empty if it has no WHEN. */
  private static Optional<String> claim(Claim kind, String text) {
    if (!(OneStatement.of(text) instanceof Query query)
        || query.when().isEmpty()
        || query.compute().isPresent()
        || declares(query.when().get().predicate())) {
      return Optional.empty();
    }
    boolean lasts = kind == Claim.NEVER && query.when().get().forMicros().isPresent();
    Statement.When when =
        new Statement.When(
            query.when().get().predicate(),
            lasts ? query.when().get().forMicros() : OptionalLong.empty(),
            query.range());
    Statement.Verdict claim =
        new Statement.Verdict(
            Statement.Explain.NO,
            kind,
            Optional.of(when),
            query.forEach().isPresent() ? withoutVariables(query) : query,
            query.range());
    return Optional.of(RqlFormatter.format(claim));
  }

  private static boolean declares(Expression expression) {
    return expression instanceof Expression.Declaration
        || expression.children().stream().anyMatch(VerdictOracleTest::declares);
  }

  /** FOR EACH is generated with ON ERROR SKIP, which claims do not have. */
  private static Query withoutVariables(Query query) {
    return query(query, Optional.empty(), Optional.empty(), query.when(), query.items());
  }

  /** The query whose rows are the cuts at which the evidence is evaluated. */
  private static Query everyCut(Query evidence) {
    Expression predicate = evidence.when().orElseThrow().predicate();
    Statement.SelectItem item =
        new Statement.SelectItem(predicate, Optional.empty(), "p", predicate.range());
    return query(
        evidence, evidence.forEach(), Optional.of(Emit.CUTS), Optional.empty(), List.of(item));
  }

  private static Query query(
      Query query,
      Optional<ForEach> forEach,
      Optional<Emit> emit,
      Optional<Statement.When> when,
      List<Statement.SelectItem> items) {
    return new Query(
        Statement.Explain.NO,
        false,
        items,
        query.logs(),
        new Clauses(
            forEach,
            Optional.empty(),
            when,
            query.nodes(),
            query.onTime(),
            emit,
            OptionalLong.empty(),
            false,
            Optional.empty()),
        query.range());
  }

  /** The values of the verdict's row; empty if the analyzer refuses the claim, or a cut fails. */
  private static Optional<List<Value>> verdict(List<Event> events, String claim) {
    QueryEngine engine = OracleTest.engine(events);
    AllValues row = new AllValues();
    try {
      engine.run(engine.prepare(claim), row);
    } catch (RqlException e) {
      return Optional.empty();
    }
    assertThat(row.rows()).as(claim).hasSize(1);
    return Optional.of(row.rows().get(0));
  }

  private static String expected(Claim kind, List<NaiveRow> found, boolean doubtful) {
    if (found.isEmpty() && doubtful) {
      return "inconclusive";
    }
    return found.isEmpty() == (kind == Claim.EVENTUALLY) ? "broken" : "holds";
  }

  private static boolean beginsTooEarly(Query query, List<Event> events) {
    long history = events.stream().mapToLong(Event::hlc).min().orElseThrow();
    long now = events.stream().mapToLong(Event::hlc).max().orElseThrow();
    if (query.onTime().orElse(null) instanceof OnTime.Last last) {
      return HlcTimestamp.pack(HlcTimestamp.micros(now) - last.micros()) < history;
    }
    return query.onTime().orElse(null) instanceof OnTime.Between between
        && ((TimePoint.Hlc) between.from()).packed() < history;
  }

  private static boolean endsTooLate(Query query, List<Event> events) {
    long last = events.stream().mapToLong(Event::hlc).max().orElseThrow();
    TimePoint end =
        query.onTime().orElse(null) instanceof OnTime.Between between
            ? between.to()
            : query.onTime().orElse(null) instanceof OnTime.At at ? at.point() : null;
    return end instanceof TimePoint.Hlc hlc
        && HlcTimestamp.micros(hlc.packed()) > HlcTimestamp.micros(last);
  }

  private static long episodes(Claim kind, List<NaiveRow> found) {
    return kind == Claim.EVENTUALLY ? Math.min(1, found.size()) : found.size();
  }

  private static Value first(List<NaiveRow> found) {
    return found.isEmpty() ? NullValue.NULL : new TimestampValue(found.get(0).hlc());
  }

  private static String text(Value value) {
    return ((Value.StringValue) value).value();
  }
}
