// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.lattice;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.analysis.AnalyzedDetection;
import io.retroscope.rql.analysis.AnalyzedQuery;
import io.retroscope.rql.ast.Statement.Modality;
import io.retroscope.rql.cut.Catalog.NodeDescription;
import io.retroscope.rql.cut.Completeness;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.evaluation.WorkMeter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * The detection of a predicate in the consistent cuts of the events of a range. Used by one thread,
 * once.
 */
public final class Detector {
  private final AnalyzedDetection detection;
  private final QueryLimits limits;
  private final View view;
  private final HlcRange range;
  private final WorkMeter work;
  private final List<String> nodes;
  private final PredicateSearch search;
  private final Doubts doubts = new Doubts();

  /**
   * Creates a detection.
   *
   * @param text of the statement, for errors
   * @param range the stamps of the events that make cuts; each cut contains all earlier ones
   * @param cancelled whether the answer is no longer wanted
   */
  public Detector(
      AnalyzedDetection detection,
      String text,
      QueryLimits limits,
      View view,
      HlcRange range,
      BooleanSupplier cancelled) {
    this.detection = detection;
    this.limits = limits;
    this.view = view;
    this.range = range;
    this.work = new WorkMeter(cancelled);
    this.nodes = nodes();
    this.search = new PredicateSearch(detection, text, nodes, limits, work);
  }

  /** The nodes whose states matter: those that the predicate names, or all. */
  private List<String> nodes() {
    AnalyzedQuery walk = detection.walk();
    List<String> all =
        view.nodes().stream()
            .filter(node -> node.firstHlc() <= range.to())
            .map(NodeDescription::name)
            .filter(name -> walk.onlyNodes().isEmpty() || walk.onlyNodes().contains(name))
            .toList();
    Optional<Set<String>> named =
        new PredicateNodes(all, walk.resolution()).named(detection.query().predicate());
    return named
        .filter(names -> !names.isEmpty())
        .map(names -> names.stream().sorted(NaturalOrder.INSTANCE).toList())
        .orElse(all);
  }

  /** The plan, as lines of EXPLAIN. */
  public List<String> plan() {
    boolean possibly = detection.query().modality() == Modality.POSSIBLY;
    return List.of(
        possibly
            ? "possibly: some consistent cut satisfies the predicate"
            : "definitely: each interleaving passes a cut that satisfies the predicate",
        "  algorithm: " + search.algorithm(),
        "  events of %s to %s, one after the other"
            .formatted(new HlcTimestamp(range.from()), new HlcTimestamp(range.to())),
        "    variables: " + String.join(", ", search.variableNames()),
        "    states of nodes: " + String.join(", ", nodes),
        "    messages: of all nodes in all logs");
  }

  /**
   * Returns the answer.
   *
   * @param completeness the reasons for doubt, also at the ends of the range
   * @throws io.retroscope.rql.diagnostic.RqlException if the predicate has no value at a cut
   */
  public Detected detect(Completeness completeness) {
    DetectionDoubt doubt = new DetectionDoubt(doubts, nodes, range);
    List<String> warnings = new ArrayList<>();
    for (Incompleteness reason : completeness.reasons()) {
      if (!reason.accept(doubt) && reason.range().overlaps(range)) {
        warnings.add(reason.sentence());
      }
    }
    ComputationReader reader =
        new ComputationReader(
            view,
            nodes,
            detection.walk().variables(),
            limits.lattice().maxBytes(),
            work,
            doubts,
            warnings::add);
    Optional<Computation> read = reader.read(range);
    if (read.isEmpty()) {
      warnings.add(
          "the events of the range take more than the limit of %,d bytes: a shorter ON TIME has fewer"
              .formatted(limits.lattice().maxBytes()));
      return undecided(warnings, List.of("events read: " + reader.eventsRead()));
    }
    Computation computation = read.get();
    SearchResult found = search.search(computation, reader.bytes());
    found.reason().ifPresent(warnings::add);
    return answer(computation, found, warnings, figures(computation, reader));
  }

  private List<String> figures(Computation computation, ComputationReader reader) {
    long states = computation.states().stream().mapToLong(List::size).sum();
    return List.of(
        "decided by: " + search.used(),
        "states: " + states,
        "messages: " + computation.messages().size(),
        "cuts of the lattice: " + search.cuts(),
        "events read: " + reader.eventsRead());
  }

  private Detected answer(
      Computation computation, SearchResult found, List<String> warnings, List<String> figures) {
    if (found.answer().isEmpty()) {
      return undecided(warnings, figures);
    }
    boolean answer = found.answer().get();
    if (!answer && !computation.hasContent()) {
      warnings.add("nothing that it names was recorded up to the end of the range");
      return undecided(warnings, figures);
    }
    List<String> reasons = doubts.about(detection.query().modality(), answer);
    if (!reasons.isEmpty()) {
      warnings.addAll(reasons);
      return undecided(warnings, figures);
    }
    if (computation.messages().isEmpty() && computation.size() > 1) {
      warnings.add(
          "no message between nodes is recorded in the range, so that every interleaving counts as possible");
    }
    Optional<LeastCut> cut = found.cut().map(states -> new LeastCut(computation, states));
    cut.filter(LeastCut::isCutShort)
        .ifPresent(
            c -> warnings.add("only %,d messages are shown".formatted(LeastCut.MAX_MESSAGES)));
    return new Detected(
        Optional.of(answer),
        cut.map(LeastCut::stamps).orElse(NullValue.NULL),
        cut.map(LeastCut::messages).orElse(NullValue.NULL),
        warnings,
        figures);
  }

  private static Detected undecided(List<String> warnings, List<String> figures) {
    Value none = NullValue.NULL;
    return new Detected(Optional.empty(), none, none, warnings, figures);
  }
}
