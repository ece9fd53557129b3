// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.lattice;

import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.analysis.AnalyzedDetection;
import io.retroscope.rql.analysis.Reference;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Statement.Modality;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.evaluation.EvaluationException;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.evaluation.WorkMeter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The choice of an algorithm for a predicate, and its execution over a computation. Used by one
 * thread.
 */
final class PredicateSearch {
  private final AnalyzedDetection detection;
  private final String text;
  private final QueryLimits limits;
  private final WorkMeter work;
  private final NormalForm form;
  private final Optional<Reference.Variable> spread;
  private final List<Reference.Variable> variables;
  private String used = "none";
  private long cuts;

  /**
   * Chooses an algorithm.
   *
   * @param nodes the names of the nodes that the predicate reads
   */
  PredicateSearch(
      AnalyzedDetection detection,
      String text,
      List<String> nodes,
      QueryLimits limits,
      WorkMeter work) {
    this.detection = detection;
    this.text = text;
    this.limits = limits;
    this.work = work;
    Expression predicate = detection.query().predicate();
    this.form = new NormalForm(predicate, nodes, detection.walk().resolution());
    this.spread =
        isPossibly()
            ? SpreadSearch.variable(predicate, detection.walk().resolution())
            : Optional.empty();
    this.variables = List.copyOf(detection.walk().variables());
  }

  private boolean isPossibly() {
    return detection.query().modality() == Modality.POSSIBLY;
  }

  /** The algorithm, as EXPLAIN names it. */
  String algorithm() {
    String lattice =
        "lattice of cuts (Cooper and Marzullo), at most %,d cuts and %,d bytes"
            .formatted(limits.lattice().maxCuts(), limits.lattice().maxBytes());
    if (spread.isPresent()) {
      return "extremes of %s at two nodes if it never falls, otherwise the %s"
          .formatted(spread.get().name(), lattice);
    }
    if (form.conjunctions().isEmpty()) {
      return lattice;
    }
    List<Conjunction> all = form.conjunctions().get();
    String many = all.size() == 1 ? "1 conjunction" : "%,d conjunctions".formatted(all.size());
    String numbers = form.numbers().isEmpty() ? "" : ", if all values are numbers";
    if (isPossibly()) {
      return "weak conjunctive predicates (Garg and Waldecker), " + many + numbers;
    }
    if (all.stream().allMatch(Conjunction::isOfOneNode) && all.size() != 1) {
      return "tests of single nodes, because each interleaving passes each state" + numbers;
    }
    String strong = "strong conjunctive predicates (Garg and Waldecker), " + many + numbers;
    return all.size() == 1 ? strong : strong + "; if none decides, the " + lattice;
  }

  /** The algorithm that decided. */
  String used() {
    return used;
  }

  /** The number of cuts of the lattice at which the predicate was evaluated. */
  long cuts() {
    return cuts;
  }

  /**
   * Searches.
   *
   * @param held the bytes of the limit that the computation takes
   * @throws RqlException if the predicate has no value at a cut
   */
  SearchResult search(Computation computation, long held) {
    try {
      Optional<SearchResult> found =
          spread.isPresent() ? bySpread(computation) : byNormalForm(computation);
      if (found.isPresent()) {
        return found.get();
      }
    } catch (EvaluationException e) {
      // It may be an error of a state that is in no cut at which this part is evaluated.
      used = "none";
    }
    return byLattice(computation, held);
  }

  private Optional<SearchResult> bySpread(Computation computation) {
    int variable = variables.indexOf(spread.orElseThrow());
    if (!SpreadSearch.neverFalls(computation, variable)) {
      return Optional.empty();
    }
    used = "extremes of two nodes";
    return Optional.of(
        SpreadSearch.search(
            computation,
            variable,
            (a, b) -> predicate(computation, detection.query().predicate(), a, b)));
  }

  private Optional<SearchResult> byNormalForm(Computation computation) {
    if (form.conjunctions().isEmpty() || !areNumbers(computation)) {
      return Optional.empty();
    }
    List<Conjunction> all = form.conjunctions().get();
    LocalTests tests =
        new LocalTests(computation, test -> predicate(computation, test.expression(), test.node()));
    used = "weak conjunctive predicates";
    Optional<int[]> least = Optional.empty();
    for (Conjunction conjunction : all) {
      Optional<int[]> cut = new WeakConjunction(computation, tests.of(conjunction), work).least();
      if (cut.isPresent()
          && (least.isEmpty() || SearchResult.ORDER.compare(cut.get(), least.get()) < 0)) {
        least = cut;
      }
    }
    if (least.isEmpty()) {
      return Optional.of(SearchResult.NONE);
    }
    return isPossibly() || definitely(computation, all, tests)
        ? least.map(SearchResult::at)
        : all.size() == 1 ? Optional.of(SearchResult.NONE) : Optional.empty();
  }

  /** Whether one conjunction alone decides that each interleaving satisfies the predicate. */
  private boolean definitely(Computation computation, List<Conjunction> all, LocalTests tests) {
    if (all.stream().allMatch(Conjunction::isOfOneNode)) {
      used = "tests of single nodes";
      return true;
    }
    used = "strong conjunctive predicates";
    return all.stream()
        .anyMatch(one -> new StrongConjunction(computation, tests.of(one), work).holds());
  }

  private boolean areNumbers(Computation computation) {
    for (Reference.Variable variable : form.numbers()) {
      int index = variables.indexOf(variable);
      boolean all =
          computation.states().stream()
              .flatMap(List::stream)
              .map(state -> state.values()[index])
              .allMatch(v -> v instanceof NullValue || SpreadSearch.isNumber(v));
      if (!all) {
        return false;
      }
    }
    return true;
  }

  private SearchResult byLattice(Computation computation, long held) {
    used = "lattice of cuts";
    int[] nodes = IntStream.range(0, computation.size()).toArray();
    CutPredicate predicate = predicate(computation, detection.query().predicate(), nodes);
    CutLattice lattice = new CutLattice(computation, predicate, limits.lattice(), held);
    try {
      SearchResult found = lattice.search(detection.query().modality());
      boolean noCut = found.answer().orElse(false) && found.cut().isEmpty();
      return noCut ? found.withCutOf(lattice.search(Modality.POSSIBLY)) : found;
    } catch (EvaluationException e) {
      throw new RqlException(
          text,
          List.of(
              e.at(detection.query().predicate().range()).inCut(cutText(computation, predicate))));
    } finally {
      cuts = lattice.cuts();
    }
  }

  private static String cutText(Computation computation, CutPredicate predicate) {
    return ", in the cut " + new LeastCut(computation, predicate.cut()).text();
  }

  private CutPredicate predicate(Computation computation, Expression expression, int... nodes) {
    return new CutPredicate(
        computation,
        nodes,
        expression,
        detection.walk(),
        limits,
        work,
        detection.query().modality().name());
  }

  /** The names of the variables that the predicate reads, with their logs. */
  List<String> variableNames() {
    List<String> names = new ArrayList<>();
    variables.forEach(variable -> names.add(variable.log() + "." + variable.name()));
    return names;
  }
}
