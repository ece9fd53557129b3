// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.rule;

import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.explain.Finding;
import io.retroscope.rql.explain.Finding.Part;
import io.retroscope.rql.rule.RuleResult.Outcome;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Explanations of the episodes of rules, which a session makes. Used by one thread. */
public final class EpisodeExplanations {
  private final Session session;
  private final String onTime;

  /**
   * Creates the explanations over a session.
   *
   * @param onTime as given to {@link RuleCheck}
   */
  public EpisodeExplanations(Session session, String onTime) {
    this.session = session;
    this.onTime = onTime;
  }

  /**
   * Returns a result with the explanations of its first episodes, if its rule is broken and is over
   * single cuts.
   *
   * @param most the largest number of episodes
   * @throws IOException as {@link RuleCheck#check}
   */
  public RuleResult explained(Rule rule, RuleResult result, int most) throws IOException {
    boolean explains =
        most > 0 && result.outcome() == Outcome.BROKEN && !rule.isDetection() && !rule.wantsRow();
    if (!explains || result.first().isEmpty()) {
      return result;
    }
    List<Episode> episodes = episodes(rule, result, most);
    List<EpisodeExplanation> explanations = new ArrayList<>();
    for (Episode episode : episodes) {
      explanations.add(of(rule, episode));
    }
    return result.explained(explanations);
  }

  /**
   * Returns the first episodes of a broken rule.
   *
   * @param most the largest number of episodes
   * @throws IOException as {@link RuleCheck#check}
   */
  public List<Episode> episodes(Rule rule, RuleResult result, int most) throws IOException {
    List<Episode> episodes = new ArrayList<>();
    if (most > 1 && result.outcome() == Outcome.BROKEN && result.episodes() > 1) {
      new RuleCheck(session, onTime, () -> 0)
          .episodes(rule, episode -> episodes.add(episode) && episodes.size() < most);
    } else {
      episodes.addAll(result.first().stream().toList());
    }
    return episodes;
  }

  /**
   * Returns the explanation of an episode; without findings if its rule is not over single cuts.
   *
   * @throws IOException as {@link RuleCheck#check}
   */
  public EpisodeExplanation of(Rule rule, Episode episode) throws IOException {
    Findings findings = new Findings();
    try {
      session.run(rule.explanation(episode, onTime), findings);
    } catch (RqlException e) {
      return new EpisodeExplanation(episode.id(), List.of());
    }
    return new EpisodeExplanation(episode.id(), findings.all);
  }

  /** The receiver of the rows of EXPLAIN CUT. */
  private static final class Findings implements RowSink {
    private final List<Finding> all = new ArrayList<>();
    private List<Column> columns = List.of();

    @Override
    public void columns(List<Column> named) {
      columns = named;
    }

    @Override
    public boolean row(Row row) {
      Map<String, Value> values = new HashMap<>();
      for (int i = 0; i < columns.size(); i++) {
        values.put(columns.get(i).name(), row.values().get(i));
      }
      all.add(
          new Finding(
              Part.of(text(values, "part")),
              text(values, "node"),
              values.get("hlc") instanceof TimestampValue stamp ? stamp.packed() : 0,
              text(values, "variable"),
              values.getOrDefault("value", NullValue.NULL),
              text(values, "explanation")));
      return true;
    }

    private static String text(Map<String, Value> values, String column) {
      return values.get(column) instanceof StringValue text ? text.value() : "";
    }

    @Override
    public void warning(String message) {
      all.add(new Finding(Part.UNKNOWN, "", 0, "", NullValue.NULL, message));
    }
  }
}
