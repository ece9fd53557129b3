// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.explain;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Response;
import io.retroscope.rql.ast.Response.Order;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.explain.Finding.Part;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/**
 * The explanation of a cut at which a query's WHEN is TRUE, or the deadline of its THEN has passed:
 * witnesses, their causes, their order, and the nearest cuts without. Used by one thread.
 */
public final class CutExplanation {
  /** The messages that are followed backwards, one after the other, unless DEPTH says otherwise. */
  public static final int DEFAULT_DEPTH = 3;

  /** The most items of FOR EACH that are explained. */
  public static final int MAX_ITEMS = 5;

  private final ExplainedQuery query;
  private final View view;
  private final long start;
  private final int depth;
  private final List<Finding> findings = new ArrayList<>();

  /**
   * Creates an explanation.
   *
   * @param start packed, the first stamp of the query's range
   * @param depth the number of messages that are followed backwards from a witness
   */
  public CutExplanation(ExplainedQuery query, View view, long start, int depth) {
    this.query = query;
    this.view = view;
    this.start = start;
    this.depth = depth;
  }

  /**
   * Returns the findings, in the order in which they are read.
   *
   * @param cut packed, its stamp
   * @param item the item of FOR EACH to explain; by default each for which the predicate is TRUE
   */
  public List<Finding> of(long cut, Optional<String> item) {
    long[] stamps = stamps(cut);
    CutProbe probe = CutProbe.at(query, view, start, stamps[0]);
    List<CutProbe.Question> questions = questions(probe, item);
    for (int i = 1; i < stamps.length && questions.isEmpty(); i++) {
      probe = CutProbe.at(query, view, start, stamps[i]);
      questions = questions(probe, item);
    }
    long trigger = probe.hlc();
    if (questions.isEmpty()) {
      findings.add(Finding.of(Part.CUT, cut, notTrue(cut, trigger, item)));
    }
    for (CutProbe.Question question : questions.subList(0, Math.min(MAX_ITEMS, questions.size()))) {
      explain(probe, question, cut);
    }
    if (questions.size() > MAX_ITEMS) {
      String rest =
          "%d more items are not explained: name one, as in EXPLAIN CUT ... FOR '%s' OF ..."
              .formatted(
                  questions.size() - MAX_ITEMS,
                  Sentences.shortened(questions.get(MAX_ITEMS).item()));
      findings.add(Finding.of(Part.UNKNOWN, cut, rest));
    }
    return List.copyOf(findings);
  }

  private String notTrue(long cut, long trigger, Optional<String> item) {
    String at =
        cut == trigger ? "at this cut" : "at " + stamp(trigger) + ", the deadline minus WITHIN";
    String why =
        query.analyzed().query().nodes().isLive()
            ? "; nodes that are silent are not left out here, as AT LIVE NODES does"
            : "";
    return "The predicate is not TRUE %s%s%s: there is nothing to explain."
        .formatted(at, item.map(i -> " for " + Sentences.shortened(i)).orElse(""), why);
  }

  private static List<CutProbe.Question> questions(CutProbe probe, Optional<String> item) {
    return probe.questions().stream()
        .filter(question -> item.map(question.item()::equals).orElse(true))
        .filter(probe::holds)
        .toList();
  }

  /**
   * The stamps of the cuts at which the predicate may be TRUE, the preferred one first: with FOR,
   * the end of the time for which it must last. A deadline has the physical part of its trigger
   * plus WITHIN, and with FOR that of the start of its run plus both; the logical part of the
   * trigger is any.
   */
  private long[] stamps(long cut) {
    Optional<Response> response = query.analyzed().response().filter(r -> r.order() == Order.THEN);
    long lasting =
        query.analyzed().query().when().map(when -> when.forMicros().orElse(0)).orElse(0L);
    if (response.isEmpty()) {
      // What still differs at the end of FOR is the reason, not what differed at its beginning.
      return lasting == 0
          ? new long[] {cut}
          : new long[] {
            HlcTimestamp.pack(HlcTimestamp.micros(cut) + lasting, HlcTimestamp.logical(cut)), cut
          };
    }
    long micros = HlcTimestamp.micros(cut) - response.get().withinMicros().orElse(0) - lasting;
    if (micros < 0) {
      return new long[] {HlcTimestamp.MIN_PACKED};
    }
    long last = HlcTimestamp.pack(micros, HlcTimestamp.MAX_LOGICAL);
    Set<Long> stamps = new TreeSet<>(Comparator.reverseOrder());
    Iterator<Event> events =
        view.scan(BackwardEvents.logs(view), new HlcRange(HlcTimestamp.pack(micros), last));
    while (events.hasNext()) {
      stamps.add(events.next().hlc());
    }
    stamps.add(last);
    return stamps.stream().mapToLong(Long::longValue).toArray();
  }

  private void explain(CutProbe probe, CutProbe.Question question, long cut) {
    Optional<Expression> predicate = probe.query().query().when().map(clause -> clause.predicate());
    if (predicate.isEmpty()) {
      findings.add(Finding.of(Part.CUT, cut, "The query has no WHEN, so that every cut is a row."));
      return;
    }
    findings.add(Finding.of(Part.CUT, cut, headline(predicate.get(), question, probe.hlc(), cut)));
    Optional<List<Witness>> found = witnesses(probe, question, predicate.get());
    if (found.isEmpty()) {
      findings.add(
          Finding.of(
              Part.UNKNOWN,
              cut,
              "It rests on more than the last %d events of its logs, among which it was searched."
                  .formatted(HistoryWitnesses.MAX_EVENTS)));
      return;
    }
    List<Witness> witnesses = found.get();
    causes(witnesses, probe.hlc());
    if (!probe.query().hasGlobals()) {
      findings.addAll(
          new NearestCuts(query, view, predicate.get(), question.item(), start)
              .of(probe.hlc(), witnesses));
    }
    probe
        .query()
        .response()
        .ifPresent(
            response -> {
              response(response, probe.hlc(), cut);
              if (response.order() == Order.THEN) {
                sequel(witnesses, cut);
              }
            });
  }

  private static String headline(
      Expression predicate, CutProbe.Question question, long hlc, long cut) {
    long lasting = HlcTimestamp.micros(hlc) - HlcTimestamp.micros(cut);
    return "At %s%s, %s is TRUE%s."
        .formatted(
            stamp(hlc),
            lasting > 0 ? ", " + Sentences.duration(lasting) + " after this cut" : "",
            Sentences.predicate(predicate),
            question.item().isEmpty() ? "" : " for " + Sentences.shortened(question.item()));
  }

  private static String stamp(long hlc) {
    return "%s (hlc'%s')"
        .formatted(HlcTimestamp.isoMicros(HlcTimestamp.micros(hlc)), HlcTimestamp.text(hlc));
  }

  private Optional<List<Witness>> witnesses(
      CutProbe probe, CutProbe.Question question, Expression predicate) {
    return probe.query().hasGlobals()
        ? new HistoryWitnesses(query, view, new HlcRange(start, probe.hlc())).of(question.item())
        : Optional.of(new Witnesses(probe, view).of(question, predicate));
  }

  private void causes(List<Witness> witnesses, long cut) {
    CausalSearch search = new CausalSearch(view, witnesses, cut, depth);
    search.run();
    Aftermath after = new Aftermath(view, witnesses, search.inFlight(), cut);
    for (Witness witness : witnesses) {
      findings.add(witness(witness, search, after));
    }
    together(witnesses, after).ifPresent(text -> findings.add(Finding.of(Part.WITNESS, cut, text)));
    for (Cause cause : search.causes()) {
      findings.add(cause(cause, search));
    }
    search.silent().forEach(last -> findings.add(silent(last, cut)));
    if (search.isComplete() && !search.hasReceipts()) {
      String none =
          "No received message is recorded before the cut, so that nothing led to it across nodes.";
      findings.add(Finding.of(Part.UNKNOWN, cut, none));
    }
    if (!search.isComplete() && search.read() == CausalSearch.MAX_READ) {
      String limit = "Earlier causes were not searched: %,d events were read.";
      findings.add(Finding.of(Part.UNKNOWN, cut, limit.formatted(search.read())));
    }
    findings.addAll(new WitnessOrder(view, after, cut).of(witnesses));
    search.inFlight().forEach(send -> findings.add(inFlight(send, after)));
  }

  /** The stretch in which all witnesses have their values. */
  private static Optional<String> together(List<Witness> witnesses, Aftermath after) {
    if (witnesses.size() < 2
        || witnesses.stream().anyMatch(w -> w.momentary() || w.event().isEmpty())) {
      return Optional.empty();
    }
    String end =
        witnesses.stream()
            .flatMap(witness -> after.end(witness).stream())
            .map(Event::hlc)
            .min(Long::compare)
            .map(hlc -> "to " + Sentences.time(hlc))
            .orElse(after.isComplete() ? "to the end of what is recorded" : "on");
    long start = witnesses.get(witnesses.size() - 1).since();
    String all = witnesses.size() == 2 ? "Both" : "All " + witnesses.size();
    return Optional.of(
        "%s values hold together from %s %s.".formatted(all, Sentences.time(start), end));
  }

  private Finding witness(Witness witness, CausalSearch search, Aftermath after) {
    StringBuilder text = new StringBuilder(written(witness));
    if (witness.event().isPresent()) {
      text.append(" at ").append(Sentences.time(witness.since()));
      text.append(received(witness, search));
    }
    if (!witness.momentary() && witness.event().isPresent()) {
      text.append(
          after
              .end(witness)
              .map(end -> "; it ended at " + Sentences.time(end.hlc()))
              .orElse(after.isComplete() ? "; it is not replaced later" : ""));
    }
    return new Finding(
        Part.WITNESS,
        witness.node(),
        witness.since() == HlcTimestamp.MIN_PACKED ? search.cut() : witness.since(),
        witness.path(),
        witness.value(),
        text.append('.').toString());
  }

  private static String written(Witness witness) {
    if (witness.event().isPresent()) {
      return Sentences.of(witness.event().get(), witness.variable()::equals);
    }
    String node = Sentences.shortened(witness.node());
    return witness.value() instanceof NullValue
        ? node + " has no value of " + witness.variable()
        : "%s has %s = %s; the event that set it was not found"
            .formatted(node, witness.variable(), Sentences.shortened(witness.value()));
  }

  private String received(Witness witness, CausalSearch search) {
    Optional<Event> receipt = search.latestReceipt(witness);
    if (receipt.isEmpty()) {
      return depth > 0 && search.isComplete() && search.hasReceipts()
          ? "; no message to %s is recorded before".formatted(Sentences.shortened(witness.node()))
          : "";
    }
    String id = ((EventBody.Receive) receipt.get().body()).id();
    return " after receiving %s at %s%s"
        .formatted(
            Sentences.message(id),
            Sentences.time(receipt.get().hlc()),
            search
                .sendOf(receipt.get())
                .map(
                    send ->
                        ", which %s sent at %s"
                            .formatted(
                                Sentences.shortened(send.node()), Sentences.time(send.hlc())))
                .orElse(", of which no send was found"));
  }

  private static Finding cause(Cause cause, CausalSearch search) {
    Event event = cause.event();
    String text =
        Sentences.of(event, search::isNamed)
            + " at "
            + Sentences.time(event.hlc())
            + cause
                .leadsTo()
                .map(receipt -> ", received at " + Sentences.time(receipt.hlc()))
                .orElse("")
            + ".";
    return new Finding(Part.CAUSE, event.node(), event.hlc(), message(event), NullValue.NULL, text);
  }

  private static Finding silent(Event last, long cut) {
    String text =
        "%s at %s, and recorded nothing more for %s up to the cut."
            .formatted(
                Sentences.of(last),
                Sentences.time(last.hlc()),
                Sentences.duration(HlcTimestamp.micros(cut) - HlcTimestamp.micros(last.hlc())));
    return new Finding(Part.CAUSE, last.node(), last.hlc(), message(last), NullValue.NULL, text);
  }

  /** The identity of the message that an event sends or receives; empty for other events. */
  private static String message(Event event) {
    if (event.body() instanceof EventBody.Send send) {
      return send.id();
    }
    return event.body() instanceof EventBody.Receive receive ? receive.id() : "";
  }

  private static Finding inFlight(Event send, Aftermath after) {
    String text =
        "In flight: %s at %s, %s."
            .formatted(
                Sentences.of(send),
                Sentences.time(send.hlc()),
                after
                    .receipt(send)
                    .map(receipt -> "received at " + Sentences.time(receipt.hlc()))
                    .orElse("no receipt was found"));
    return new Finding(
        Part.IN_FLIGHT, send.node(), send.hlc(), message(send), NullValue.NULL, text);
  }

  /** The messages that followed from the latest witness of a trigger, up to the deadline. */
  private void sequel(List<Witness> witnesses, long deadline) {
    Optional<Event> trigger =
        witnesses.isEmpty() ? Optional.empty() : witnesses.get(witnesses.size() - 1).event();
    List<Event> events =
        trigger.map(event -> new Sequel(view).of(event, deadline)).orElse(List.of());
    if (!events.isEmpty()) {
      findings.add(
          Finding.of(Part.WITNESS, deadline, "What was sent next, and what followed from it:"));
    }
    for (Event event : events) {
      String line = Sentences.of(event) + " at " + Sentences.time(event.hlc()) + ".";
      findings.add(
          new Finding(Part.CAUSE, event.node(), event.hlc(), message(event), NullValue.NULL, line));
    }
  }

  /** What could have been the answer of THEN, or what AFTER misses. */
  private void response(Response response, long trigger, long cut) {
    long from = trigger;
    long to = cut;
    if (response.order() == Order.AFTER) {
      OptionalLong within = response.withinMicros();
      long micros = HlcTimestamp.micros(trigger) - within.orElse(0);
      from = within.isEmpty() || micros < 0 ? HlcTimestamp.MIN_PACKED : HlcTimestamp.pack(micros);
      to = trigger;
    }
    String expected = Sentences.predicate(response.expected());
    List<Event> candidates = new ExpectedWrites(query, view).of(response, new HlcRange(from, to));
    String came =
        response.negated() ? "%s was not TRUE from %s to %s" : "%s was TRUE between %s and %s";
    String text =
        (came + "%s")
            .formatted(
                expected,
                from == HlcTimestamp.MIN_PACKED ? "the beginning" : Sentences.time(from),
                Sentences.time(to),
                candidates.isEmpty()
                    ? ": nothing that it names was recorded there."
                    : "; what was recorded of its names there:");
    findings.add(Finding.of(Part.WITNESS, cut, text));
    Set<String> names = Set.copyOf(new ExpectedWrites(query, view).names(response));
    for (Event event : candidates) {
      String line =
          Sentences.of(event, names::contains) + " at " + Sentences.time(event.hlc()) + ".";
      findings.add(new Finding(Part.CAUSE, event.node(), event.hlc(), "", NullValue.NULL, line));
    }
  }
}
