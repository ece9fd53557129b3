package io.retroscope.rql.rule;

import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.DiagnosticPrinter;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.outer.VerdictRow;
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

  private final Session session;
  private final String onTime;
  private final LongSupplier nanoClock;

  /**
   * Creates an evaluation.
   *
   * @param onTime a clause ON TIME for the rules that have none; may be empty
   * @param nanoClock of the monotonic kind, for the duration of evaluations
   */
  public RuleCheck(Session session, String onTime, LongSupplier nanoClock) {
    this.session = session;
    this.onTime = onTime;
    this.nanoClock = nanoClock;
  }

  /**
   * Returns the verdict on a rule.
   *
   * @throws IOException if the server cannot be reached, or its answer was incomplete
   * @throws io.retroscope.rql.client.ProblemException if the events cannot be read
   */
  public RuleResult check(Rule rule) throws IOException {
    long start = nanoClock.getAsLong();
    VerdictSink sink = new VerdictSink(rule.name());
    try {
      session.run(rule.verdict(onTime), sink);
    } catch (RqlException e) {
      return failed(rule, e, nanoClock.getAsLong() - start);
    }
    return new RuleResult(
        rule.name(),
        rule.place(),
        rule.description(),
        sink.outcome,
        sink.reason,
        sink.episodes,
        sink.first,
        sink.warnings,
        nanoClock.getAsLong() - start);
  }

  private RuleResult failed(Rule rule, RqlException e, long nanos) {
    Optional<String> neverSeen = neverSeen(e);
    String reason = neverSeen.orElseGet(() -> DiagnosticPrinter.print(rule.inFile(e, onTime)));
    return new RuleResult(
        rule.name(),
        rule.place(),
        rule.description(),
        neverSeen.isPresent() ? Outcome.INCONCLUSIVE : Outcome.WRONG,
        reason,
        0,
        Optional.empty(),
        List.of(),
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
    EpisodeRows rows = new EpisodeRows(rule.name(), sink);
    try {
      session.run(rule.episodes(onTime), rows);
    } catch (RqlException e) {
      rows.warnings.add(neverSeen(e).orElseThrow(() -> e));
    }
    return List.copyOf(rows.warnings);
  }

  /** A receiver of episodes. */
  @FunctionalInterface
  public interface EpisodeSink {
    /** Takes the next episode; returns whether more are wanted. */
    boolean episode(Episode episode);
  }

  /** The receiver of a verdict's one row. */
  private static final class VerdictSink implements RowSink {
    private final String rule;
    private final List<String> warnings = new ArrayList<>();
    private List<Column> columns = List.of();
    private Outcome outcome = Outcome.INCONCLUSIVE;
    private String reason = "there was no answer";
    private long episodes;
    private Optional<Episode> first = Optional.empty();

    VerdictSink(String rule) {
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
      outcome = outcome(text(values.get("verdict")));
      reason = text(values.get("reason"));
      episodes = values.get("episodes") instanceof LongValue count ? count.value() : 0;
      if (values.get("cut") instanceof StructValue cut) {
        first = Optional.of(new Episode(rule, values, cut));
      }
      return true;
    }

    private static Outcome outcome(String verdict) {
      return switch (verdict) {
        case VerdictRow.HOLDS -> Outcome.HOLDS;
        case VerdictRow.BROKEN -> Outcome.BROKEN;
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
    private final String rule;
    private final EpisodeSink sink;
    private final List<String> warnings = new ArrayList<>();
    private List<Column> columns = List.of();

    EpisodeRows(String rule, EpisodeSink sink) {
      this.rule = rule;
      this.sink = sink;
    }

    @Override
    public void columns(List<Column> columns) {
      this.columns = columns;
    }

    @Override
    public boolean row(Row row) {
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
      return fall || sink.episode(new Episode(rule, automatic, new StructValue(cut)));
    }

    @Override
    public void warning(String message) {
      warnings.add(message);
    }
  }
}
