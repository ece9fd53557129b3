// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.rule;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.ast.Statement.ExplainEpisode;
import io.retroscope.rql.client.ProblemException;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.diagnostic.Spelling;
import io.retroscope.rql.engine.history.SharedAnswers;
import io.retroscope.rql.parser.ParsedStatement;
import io.retroscope.rql.parser.RqlParser;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A session with the rules of some files, which it needs for EXPLAIN EPISODE. Used by one thread.
 */
public final class RuleSession implements Session {
  /** The most episodes of a rule among which one is searched. */
  private static final int MAX_EPISODES = 100_000;

  private static final int MAX_LISTED = 3;

  private final Session session;
  private final List<Rule> rules;

  /** Adds rules to a session, which this one closes. */
  public RuleSession(Session session, List<Rule> rules) {
    this.session = session;
    this.rules = List.copyOf(rules);
  }

  @Override
  public String target() {
    return session.target();
  }

  @Override
  public void run(ParsedStatement statement, RowSink sink) throws IOException {
    if (statement.problems().isEmpty()
        && statement.statement().orElse(null) instanceof ExplainEpisode explain) {
      session.run(new RqlParser().read(explanation(explain)), sink);
    } else {
      session.run(statement, sink);
    }
  }

  private String explanation(ExplainEpisode explain) throws IOException {
    String id = explain.episode();
    Rule rule = rule(id);
    List<Episode> episodes = new ArrayList<>();
    new RuleCheck(session, "", () -> 0)
        .episodes(rule, episode -> episodes.add(episode) && episodes.size() < MAX_EPISODES);
    Optional<Episode> found =
        episodes.stream().filter(episode -> episode.id().equals(id)).findFirst();
    if (found.isEmpty()) {
      throw new ProblemException(unknown(id, rule, episodes));
    }
    String depth = explain.depth().isPresent() ? " DEPTH " + explain.depth().getAsLong() : "";
    return rule.explanation(found.get(), "") + depth;
  }

  private Rule rule(String id) {
    String name = id.replaceFirst("[\\[@].*", "");
    return rules.stream()
        .filter(rule -> rule.name().equals(name))
        .findFirst()
        .orElseThrow(
            () -> {
              List<String> names = rules.stream().map(Rule::name).toList();
              String like =
                  Spelling.nearest(name, names).map(n -> ": did you mean " + n + "?").orElse("");
              return new ProblemException(
                  "there is no rule %s%s; rules here: %s"
                      .formatted(name, like, String.join(", ", names)));
            });
  }

  /** Says which episodes are nearest in time. */
  private static String unknown(String id, Rule rule, List<Episode> episodes) {
    if (episodes.isEmpty()) {
      return "there is no episode %s: %s is never broken here".formatted(id, rule.name());
    }
    long asked = stamp(id);
    String nearest =
        episodes.stream()
            .sorted(
                Comparator.comparingLong(
                    episode ->
                        Math.abs(HlcTimestamp.micros(episode.hlc()) - HlcTimestamp.micros(asked))))
            .limit(MAX_LISTED)
            .map(Episode::id)
            .collect(Collectors.joining(", "));
    return "there is no episode %s; the nearest of %,d: %s".formatted(id, episodes.size(), nearest);
  }

  private static long stamp(String id) {
    try {
      return HlcTimestamp.parse("hlc'" + id.substring(id.lastIndexOf('@') + 1) + "'");
    } catch (IllegalArgumentException e) {
      return HlcTimestamp.MIN_PACKED;
    }
  }

  @Override
  public SharedAnswers runTogether(List<Task> tasks) throws IOException {
    return session.runTogether(tasks);
  }

  @Override
  public Catalog catalog() throws IOException {
    return session.catalog();
  }

  @Override
  public void close() {
    session.close();
  }
}
