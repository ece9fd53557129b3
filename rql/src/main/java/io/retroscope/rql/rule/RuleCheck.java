// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.rule;

import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.analysis.AutomaticColumns;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.DiagnosticPrinter;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.history.SharedAnswers;
import io.retroscope.rql.outer.VerdictRow;
import io.retroscope.rql.parser.RqlParser;
import io.retroscope.rql.rule.RuleResult.Outcome;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The evaluation of rules over a session. Used by one thread. */
public final class RuleCheck {
  /** A log, a node or a variable of which no event is known says nothing about the rule. */
  private static final Set<String> NEVER_SEEN =
      Set.of(
          ErrorCode.UNKNOWN_LOG.code(),
          ErrorCode.UNKNOWN_NODE.code(),
          ErrorCode.UNKNOWN_VARIABLE.code());

  /** The episodes of all rules that wait until those of the rules before have been sent. */
  private static final int MAX_HELD_EPISODES = 20_000;

  private final Session session;
  private final String onTime;
  private final LongSupplier nanoClock;
  private final int maxHeldEpisodes;
  private final boolean countsChances;

  /**
   * Creates an evaluation.
   *
   * @param onTime a clause ON TIME for the rules that have none; may be empty
   * @param nanoClock of the monotonic kind, for the duration of evaluations
   */
  public RuleCheck(Session session, String onTime, LongSupplier nanoClock) {
    this(session, onTime, nanoClock, MAX_HELD_EPISODES);
  }

  RuleCheck(Session session, String onTime, LongSupplier nanoClock, int maxHeldEpisodes) {
    this(session, onTime, nanoClock, maxHeldEpisodes, false);
  }

  private RuleCheck(
      Session session,
      String onTime,
      LongSupplier nanoClock,
      int maxHeldEpisodes,
      boolean countsChances) {
    this.countsChances = countsChances;
    this.maxHeldEpisodes = maxHeldEpisodes;
    this.session = session;
    this.onTime = onTime;
    this.nanoClock = nanoClock;
  }

  /**
   * Returns the same evaluation that also counts how often each rule could have been broken, in the
   * walk that the rules take. A rule that holds although it could not is then {@link
   * Outcome#VACUOUS}.
   */
  public RuleCheck countingChances() {
    return new RuleCheck(session, onTime, nanoClock, maxHeldEpisodes, true);
  }

  /**
   * The verdicts on rules.
   *
   * @param results in the order of the rules
   * @param cost the blocks and events read, and how long it took, in the words of EXPLAIN ANALYZE;
   *     empty if the session does not know
   */
  public record Verdicts(List<RuleResult> results, List<String> cost) {
    /** Copies the lists. */
    public Verdicts {
      results = List.copyOf(results);
      cost = List.copyOf(cost);
    }
  }

  /**
   * Returns the verdict on a rule.
   *
   * @throws IOException if the server cannot be reached, or its answer was incomplete
   * @throws io.retroscope.rql.client.ProblemException if the events cannot be read
   */
  public RuleResult check(Rule rule) throws IOException {
    return check(List.of(rule)).results().get(0);
  }

  /**
   * Returns the verdicts on rules. The time of each is its share of the time of all.
   *
   * @throws IOException as the other {@code check}
   */
  public Verdicts check(List<Rule> rules) throws IOException {
    long start = nanoClock.getAsLong();
    RqlParser parser = new RqlParser();
    List<VerdictSink> sinks = rules.stream().map(rule -> new VerdictSink(rule)).toList();
    List<Session.Task> tasks = new ArrayList<>();
    for (int i = 0; i < sinks.size(); i++) {
      tasks.add(new Session.Task(parser.read(rules.get(i).verdict(onTime)), sinks.get(i)));
    }
    List<Counted> counted = countsChances ? count(rules, tasks) : List.of();
    SharedAnswers answers = session.runTogether(tasks);
    long nanos = (nanoClock.getAsLong() - start) / Math.max(1, rules.size());
    List<RuleResult> results = new ArrayList<>();
    for (int i = 0; i < sinks.size(); i++) {
      Optional<RqlException> failure = answers.failures().get(i);
      notCounted(i, counted, answers).forEach(sinks.get(i)::warning);
      RuleResult result =
          failure.isPresent()
              ? failed(rules.get(i), failure.get(), nanos)
              : sinks.get(i).result(rules.get(i), nanos);
      results.add(
          countsChances ? judged(result.with(chances(i, counted, answers)), failure) : result);
    }
    return new Verdicts(results, answers.cost());
  }

  /**
   * The result with the verdict vacuous if the rule is not broken because nothing could break it.
   */
  private static RuleResult judged(RuleResult result, Optional<RqlException> failure) {
    boolean nothingHappened = failure.isPresent() || result.isOfNothing();
    Optional<Chance> missing = Chance.missing(result.chances());
    return switch (result.outcome()) {
      case HOLDS -> missing.map(part -> result.vacuous(part.neverSentence())).orElse(result);
      case INCONCLUSIVE ->
          nothingHappened
              ? result.vacuous(missing.map(Chance::neverSentence).orElse(result.reason()))
              : result;
      case BROKEN, WRONG, NOT_YET, VACUOUS -> result;
    };
  }

  /** A situation of a rule, whose query is one of the tasks. */
  private record Counted(int rule, int task, Situation.Counter counter) {}

  /** Adds the queries that count, which take part in the walk of the rules. */
  private List<Counted> count(List<Rule> rules, List<Session.Task> tasks) {
    RqlParser parser = new RqlParser();
    List<Counted> counted = new ArrayList<>();
    for (int i = 0; i < rules.size(); i++) {
      for (Situation situation : rules.get(i).situations(onTime)) {
        Situation.Counter counter = situation.counter();
        counted.add(new Counted(i, tasks.size(), counter));
        tasks.add(new Session.Task(parser.read(situation.query()), counter));
      }
    }
    return counted;
  }

  /** The chances of a rule; none if the rule itself fails. */
  private static List<Chance> chances(int rule, List<Counted> counted, SharedAnswers answers) {
    if (answers.failures().get(rule).isPresent()) {
      return List.of();
    }
    return counted.stream()
        .filter(one -> one.rule() == rule && answers.failures().get(one.task()).isEmpty())
        .map(one -> one.counter().chance())
        .toList();
  }

  /** Sentences about the situations of a rule whose queries failed. */
  private static List<String> notCounted(int rule, List<Counted> counted, SharedAnswers answers) {
    return counted.stream()
        .filter(one -> one.rule() == rule && answers.failures().get(one.task()).isPresent())
        .map(one -> "not counted: " + one.counter().part())
        .toList();
  }

  private RuleResult failed(Rule rule, RqlException e, long nanos) {
    Optional<String> neverSeen = neverSeen(e);
    String reason = neverSeen.orElseGet(() -> DiagnosticPrinter.print(rule.inFile(e, onTime)));
    boolean isNotYet = neverSeen.isPresent() && rule.isOfSomeRun();
    return new RuleResult(
        rule.name(),
        rule.place(),
        rule.description(),
        isNotYet ? Outcome.NOT_YET : neverSeen.isPresent() ? Outcome.INCONCLUSIVE : Outcome.WRONG,
        isNotYet ? "" : reason,
        0,
        Optional.empty(),
        Optional.empty(),
        isNotYet ? List.of(reason) : List.of(),
        nanos);
  }

  /** Says which names were never seen; empty if the statement has another error. */
  private static Optional<String> neverSeen(RqlException e) {
    List<Diagnostic> problems = e.diagnostics();
    return problems.stream().allMatch(problem -> NEVER_SEEN.contains(problem.code()))
        ? Optional.of(
            problems.stream().map(RuleCheck::sentence).distinct().collect(Collectors.joining("; ")))
        : Optional.empty();
  }

  private static String sentence(Diagnostic problem) {
    return problem.message() + problem.help().map(help -> ": " + help).orElse("");
  }

  /** The result of a statement that is not a rule. */
  public static RuleResult of(RuleFault fault) {
    return RuleResult.wrong(
        fault.name(), fault.place(), "", DiagnosticPrinter.print(fault.error()));
  }

  /**
   * Sends the episodes of a rule, in their order. A rule about names that were never seen has none.
   *
   * @return the warnings
   * @throws RqlException if the rule is wrong
   * @throws IOException as {@link #check}
   */
  public List<String> episodes(Rule rule, EpisodeSink sink) throws IOException {
    EpisodeRows rows = new EpisodeRows(rule, sink);
    try {
      session.run(rule.episodes(onTime), rows);
    } catch (RqlException e) {
      rows.warnings.add(neverSeen(e).orElseThrow(() -> e));
    }
    return List.copyOf(rows.warnings);
  }

  /**
   * Sends the episodes of rules, rule by rule, each in its order. A rule about names that were
   * never seen has none. The rules are evaluated together; one with very many episodes is evaluated
   * again.
   *
   * @throws IOException as {@link #check}
   */
  public void episodes(List<Rule> rules, EpisodeListener listener) throws IOException {
    RqlParser parser = new RqlParser();
    HeldEpisodes held = new HeldEpisodes(maxHeldEpisodes);
    List<EpisodeRows> sinks =
        rules.stream().map(rule -> new EpisodeRows(rule, held.ofNextRule())).toList();
    List<Session.Task> tasks = new ArrayList<>();
    for (int i = 0; i < sinks.size(); i++) {
      tasks.add(new Session.Task(parser.read(rules.get(i).episodes(onTime)), sinks.get(i)));
    }
    SharedAnswers answers = session.runTogether(tasks);
    for (int i = 0; i < sinks.size(); i++) {
      Rule rule = rules.get(i);
      if (held.areTooMany(i)) {
        again(rule, listener);
      } else {
        held.forEach(i, listener);
        Optional<RqlException> failure = answers.failures().get(i);
        Optional<String> neverSeen = failure.flatMap(RuleCheck::neverSeen);
        List<String> warnings = sinks.get(i).warnings;
        neverSeen.ifPresent(warnings::add);
        listener.end(rule, warnings, neverSeen.isPresent() ? Optional.empty() : failure);
      }
    }
  }

  /** Sends the episodes of a rule as they are found. */
  private void again(Rule rule, EpisodeListener listener) throws IOException {
    try {
      listener.end(rule, episodes(rule, listener::episode), Optional.empty());
    } catch (RqlException e) {
      listener.end(rule, List.of(), Optional.of(e));
    }
  }

  /** A receiver of episodes. */
  @FunctionalInterface
  public interface EpisodeSink {
    /** Takes the next episode; returns whether more are wanted. */
    boolean episode(Episode episode);
  }

  /** A receiver of the episodes of several rules, one rule after the other. */
  public interface EpisodeListener {
    /** Takes the next episode of the present rule; returns whether more of it are wanted. */
    boolean episode(Episode episode);

    /**
     * Called after the episodes of a rule.
     *
     * @param failure the error with which its evaluation ended
     */
    void end(Rule rule, List<String> warnings, Optional<RqlException> failure);
  }

  /** The receiver of a verdict's one row. */
  private static final class VerdictSink implements RowSink {
    private final Rule rule;
    private final List<String> warnings = new ArrayList<>();
    private List<Column> columns = List.of();
    private Outcome outcome = Outcome.INCONCLUSIVE;
    private String reason = "there was no answer";
    private long episodes;
    private Optional<Episode> first = Optional.empty();
    private Optional<Boolean> borderline = Optional.empty();

    VerdictSink(Rule rule) {
      this.rule = rule;
    }

    @Override
    public void columns(List<Column> columns) {
      this.columns = columns;
    }

    @Override
    public boolean row(Row row) {
      Map<String, Value> values = new HashMap<>();
      for (int i = 0; i < columns.size(); i++) {
        values.put(columns.get(i).name(), row.values().get(i));
      }
      if (rule.isDetection()) {
        detected(row);
        return true;
      }
      outcome = outcome(text(values.get("verdict")));
      reason = text(values.get("reason"));
      episodes = values.get("episodes") instanceof LongValue count ? count.value() : 0;
      if (values.get("borderline") instanceof BooleanValue known) {
        borderline = Optional.of(known.value());
      }
      if (values.get("cut") instanceof StructValue cut) {
        first = Optional.of(new Episode(rule.name(), rule.element(), values, cut));
      }
      return true;
    }

    RuleResult result(Rule checked, long nanos) {
      return new RuleResult(
          checked.name(),
          checked.place(),
          checked.description(),
          outcome,
          reason,
          episodes,
          first,
          borderline,
          warnings,
          nanos);
    }

    private void detected(Row row) {
      first = Episode.ofDetection(rule.name(), row);
      episodes = first.isPresent() ? 1 : 0;
      Value answer = row.values().get(0);
      if (answer instanceof Value.BooleanValue decided) {
        outcome = decided.value() ? Outcome.BROKEN : Outcome.HOLDS;
        reason = "";
      } else {
        reason = String.join("; ", warnings);
      }
    }

    private static Outcome outcome(String verdict) {
      return switch (verdict) {
        case VerdictRow.HOLDS -> Outcome.HOLDS;
        case VerdictRow.BROKEN -> Outcome.BROKEN;
        case VerdictRow.NOT_YET -> Outcome.NOT_YET;
        default -> Outcome.INCONCLUSIVE;
      };
    }

    private static String text(@Nullable Value value) {
      return value instanceof StringValue string ? string.value() : "";
    }

    @Override
    public void warning(String message) {
      warnings.add(message);
    }
  }

  /** The receiver of rows that are episodes, except for the ends among the rows of EDGES. */
  private static final class EpisodeRows implements RowSink {
    private final Rule rule;
    private final EpisodeSink sink;
    private final List<String> warnings = new ArrayList<>();
    private List<Column> columns = List.of();

    EpisodeRows(Rule rule, EpisodeSink sink) {
      this.rule = rule;
      this.sink = sink;
    }

    @Override
    public void columns(List<Column> columns) {
      this.columns = columns;
    }

    @Override
    public boolean row(Row row) {
      if (rule.isDetection()) {
        return Episode.ofDetection(rule.name(), row).map(sink::episode).orElse(true);
      }
      Map<String, Value> automatic = new HashMap<>();
      Map<String, Value> cut = new LinkedHashMap<>();
      for (int i = 0; i < columns.size(); i++) {
        Column column = columns.get(i);
        if (column.automatic()) {
          automatic.put(column.name(), row.values().get(i));
        } else {
          cut.put(Episode.shownName(column.name()), row.values().get(i));
        }
      }
      boolean fall = Value.of("fall").equals(automatic.get("edge"));
      boolean repeats = BooleanValue.TRUE.equals(automatic.get(AutomaticColumns.REPEAT));
      return fall
          || repeats
          || sink.episode(
              new Episode(rule.name(), rule.element(), automatic, new StructValue(cut)));
    }

    @Override
    public void warning(String message) {
      warnings.add(message);
    }
  }
}
