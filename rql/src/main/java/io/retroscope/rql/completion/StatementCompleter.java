// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.completion;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.analysis.RqlFunction;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.parser.RqlToken;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The words, functions and names that are possible in a statement at a place, in every editor. Used
 * by one thread.
 */
public final class StatementCompleter {
  /** The maximum number of names of one kind. */
  public static final int MAX_NAMES = 1_000;

  private static final List<String> STARTS =
      List.of(
          "SELECT",
          "SHOW",
          "DESCRIBE",
          "EXPLAIN",
          "FORGET",
          "KILL",
          "CREATE ALERT",
          "DROP ALERT",
          "ACKNOWLEDGE ALERT",
          "MUTE ALERT",
          "POSSIBLY",
          "DEFINITELY");
  private static final List<String> SELECT = List.of("SELECT");
  private static final List<String> SUBJECTS =
      List.of("LOGS", "NODES", "ALIGNMENT", "QUERIES", "VARIABLES", "ALERTS");
  private static final List<String> CLAUSES =
      List.of(
          "FOR EACH VARIABLE",
          "FOR EACH NODE",
          "FOR EACH VALUE",
          "COMPUTE",
          "WHEN",
          "AT NODES",
          "AT LIVE NODES",
          "ON TIME",
          "ON ERROR SKIP",
          "EMIT",
          "LIMIT",
          "PLAY");
  private static final List<String> RESPONSES = List.of("THEN", "NOT THEN", "AFTER", "NOT AFTER");
  private static final List<String> QUANTIFIERS =
      List.of("EXISTS", "FORALL", "COUNT", "FILTER", "NOT");
  private static final List<String> CONSTANTS = List.of("NODES", "TRUE", "FALSE", "NULL");
  private static final List<String> OPERATORS =
      Stream.concat(
              Stream.of(BinaryOperator.values()).map(BinaryOperator::symbol),
              Stream.of("IS NULL", "IS NOT NULL"))
          .filter(symbol -> Character.isLetter(symbol.charAt(0)))
          .toList();
  private static final Pattern PLAIN_NAME = Pattern.compile("[\\p{L}_$][\\p{L}\\p{Nd}_$]*");
  private static final Set<String> RESERVED = Set.copyOf(RqlToken.reservedWords());

  private final Supplier<Catalog> catalogs;
  private final List<String> instruments;

  /**
   * Creates a completer.
   *
   * @param catalogs the present catalog
   * @param instruments the names of those of PLAY
   */
  public StatementCompleter(Supplier<Catalog> catalogs, List<String> instruments) {
    this.catalogs = catalogs;
    this.instruments = List.copyOf(instruments);
  }

  /** Returns everything that may be written at the place, whatever is typed of it so far. */
  public List<Offer> offers(TypedStatement typed) {
    if (typed.inText()) {
      return List.of();
    }
    String word = typed.word();
    boolean lower = word.chars().anyMatch(Character::isLowerCase);
    Offers offers = new Offers(new ArrayList<>(), lower, word.isEmpty());
    statement(StatementContext.of(typed.before()), logsBehind(typed), offers);
    return offers.candidates();
  }

  /** Returns names as they are written, as many as are offered: in backquotes if necessary. */
  public static List<String> written(Collection<String> names) {
    return names.stream().limit(MAX_NAMES).map(StatementCompleter::quoted).toList();
  }

  /**
   * Returns the logs in the statement after the cursor, because the items are often written last.
   */
  private static List<String> logsBehind(TypedStatement typed) {
    String behind = typed.text().substring(typed.cursor());
    List<RqlToken> tokens =
        RqlToken.of(behind).stream()
            .takeWhile(token -> token.kind() != RqlToken.Kind.SEMICOLON)
            .toList();
    return StatementContext.of(tokens).logs();
  }

  private void statement(StatementContext before, List<String> logsBehind, Offers offers) {
    String previous = before.previous();
    if (before.isEmpty()) {
      offers.words("statements", STARTS);
      offers.functions();
    } else if (previous.equals("@")) {
      offers.names("nodes", catalogs.get().nodeNames());
      offers.add("bound", before.boundNames());
    } else if (previous.equals(".")) {
      offers.names("variables", variables(List.of(before.nameBeforeSign())));
    } else if (before.endsBoundNames()) {
      offers.words("words", List.of("IN"));
    } else if (!before.wantsNewName() || before.isSoundPart()) {
      clause(before, logsBehind, offers);
    }
  }

  private void forget(String previous, Offers offers) {
    if (previous.equals("FORGET")) {
      offers.words("words", List.of("NODE"));
    } else if (previous.equals("NODE")) {
      offers.names("nodes", catalogs.get().nodeNames());
    }
  }

  private void clause(StatementContext before, List<String> logsBehind, Offers offers) {
    String previous = before.previous();
    boolean listed = previous.equals(",");
    switch (before.clause()) {
      case "EXPLAIN" ->
          offers.words(
              "words",
              previous.equals("EXPLAIN") ? List.of("ANALYZE", "SELECT", "CUT", "EPISODE") : SELECT);
      case "SHOW" -> show(previous, offers);
      case "KILL" -> offers.words("words", previous.equals("KILL") ? List.of("QUERY") : List.of());
      case "DESCRIBE" ->
          offers.names("logs", previous.equals("DESCRIBE") ? catalogs.get().logNames() : List.of());
      case "FORGET" -> forget(previous, offers);
      case "FROM" -> {
        if (listed || previous.equals("FROM")) {
          offers.names("logs", catalogs.get().logNames());
        } else {
          clauses(before, offers);
        }
      }
      case "FOR" -> forClause(before, offers);
      case "AT" -> atClause(before, offers);
      case "ON" -> onClause(before, offers);
      case "EMIT" -> {
        if (previous.equals("EMIT")) {
          offers.words("rows", List.of("CUTS", "INTERVALS", "EDGES"));
        } else {
          clauses(before, offers);
        }
      }
      case "LIMIT" -> {
        if (!previous.equals("LIMIT")) {
          clauses(before, offers);
        }
      }
      case "PLAY" -> play(before, logsBehind, offers);
      default -> expression(before, logsBehind, offers);
    }
  }

  private void show(String previous, Offers offers) {
    switch (previous) {
      case "SHOW" -> offers.words("subjects", SUBJECTS);
      case "VARIABLES" -> offers.words("words", List.of("FROM", "LIKE"));
      default -> {}
    }
  }

  private static void forClause(StatementContext before, Offers offers) {
    switch (before.previous()) {
      case "FOR" -> offers.words("words", List.of("EACH VARIABLE", "EACH NODE", "EACH VALUE"));
      case "EACH" -> offers.words("words", List.of("VARIABLE", "NODE", "VALUE"));
      case "LIKE" -> {}
      default -> {
        if (before.previous(2).equals("VARIABLE")) {
          offers.words("words", List.of("LIKE"));
        } else if (before.previous(2).equals("VALUE")) {
          offers.words("words", List.of("IN"));
        }
        clauses(before, offers);
      }
    }
  }

  private void atClause(StatementContext before, Offers offers) {
    String previous = before.previous();
    if (previous.equals("AT")) {
      offers.words("nodes", List.of("NODES", "ALL_NODES", "LIVE NODES"));
    } else if (previous.equals("LIVE")) {
      offers.words("nodes", List.of("NODES"));
    } else if (previous.equals(",")
        || (previous.equals("NODES") && before.previous(2).equals("AT"))) {
      offers.names("nodes", catalogs.get().nodeNames());
    } else {
      clauses(before, offers);
    }
  }

  private void onClause(StatementContext before, Offers offers) {
    switch (before.previous()) {
      case "ON" -> offers.words("clauses", List.of("TIME", "ERROR SKIP"));
      case "ERROR" -> offers.words("clauses", List.of("SKIP"));
      case "TIME" -> {
        offers.words("times", List.of("LAST", "NOW"));
        offers.add("times", extent());
      }
      case "TO" -> {
        offers.words("times", List.of("NOW"));
        offers.add("times", extent());
      }
      case "LAST", "-" -> {}
      default -> {
        if (before.previous(2).equals("TIME")) {
          offers.words("words", List.of("TO"));
        }
        clauses(before, offers);
      }
    }
  }

  /** The first and the last stored stamp. */
  private List<String> extent() {
    return catalogs
        .get()
        .extent()
        .map(
            range ->
                Stream.of(range.from(), range.to())
                    .map(stamp -> new HlcTimestamp(stamp).toString())
                    .toList())
        .orElse(List.of());
  }

  private void play(StatementContext before, List<String> logsBehind, Offers offers) {
    if (before.previous().equals("PLAY")) {
      offers.add("instruments", instruments);
    } else if (before.previous().equals("PLACE")) {
      offers.add("bound", before.boundNames());
    } else if (!SoundParts.WITH_OTHER_VALUES.contains(before.previous())) {
      boolean ends = before.endsOperand() || SoundParts.isWord(before);
      if (!ends) {
        operand(before, logsBehind, offers);
      } else if (!before.isNested()) {
        offers.words("sound", SoundParts.WORDS);
        clauses(before, offers);
      }
    } else {
      offers.words("sound", SoundParts.after(before.previous()));
    }
  }

  /** Offers the parts of an expression: in SELECT, WHEN, COMPUTE, or alone. */
  private void expression(StatementContext before, List<String> logsBehind, Offers offers) {
    if (!before.endsOperand() || isStar(before)) {
      operand(before, logsBehind, offers);
      return;
    }
    boolean items = before.clause().equals("SELECT");
    if (items && !before.isNested()) {
      offers.words("clauses", List.of("FROM", "AS"));
    } else if (!items) {
      offers.words("words", List.of("AND", "OR"));
    }
    if (!items && !before.isNested() && !before.clause().isEmpty()) {
      if (before.clause().equals("WHEN")) {
        offers.words("clauses", List.of("FOR"));
      }
      clauses(before, offers);
    }
    offers.typed("words", OPERATORS);
  }

  /** Returns whether a star multiplies, rather than selecting all items. */
  private static boolean isStar(StatementContext before) {
    return before.previous().equals("*") && !before.previous(2).equals("SELECT");
  }

  private void operand(StatementContext before, List<String> logsBehind, Offers offers) {
    offers.names("variables", variables(before.logs().isEmpty() ? logsBehind : before.logs()));
    offers.add("bound", before.boundNames());
    switch (before.previous()) {
      case "SELECT" -> offers.words("words", List.of("STREAM"));
      case "WHEN" -> offers.words("words", QUANTIFIERS);
      case "IN" -> offers.words("words", List.of("NODES"));
      case "COMPUTE", "AND" -> {
        if (before.clause().equals("COMPUTE")) {
          offers.words("words", List.of("VAR", "GLOBAL", "OUT"));
        }
      }
      default -> {}
    }
    offers.typed("words", QUANTIFIERS);
    offers.typed("words", CONSTANTS);
    offers.typed("words", List.of("FOREACH", "DISTINCT"));
    if (!offers.nothingTyped()) {
      offers.functions();
      offers.names("logs", catalogs.get().logNames());
    }
  }

  /** Offers the clauses that have not begun yet. */
  private static void clauses(StatementContext before, Offers offers) {
    if (before.hasBegun("SHOW")) {
      offers.words("words", List.of("LIKE"));
    } else {
      offers.words("clauses", CLAUSES.stream().filter(c -> !hasBegun(before, c)).toList());
      responses(before, offers);
    }
  }

  /** Whether the clause is {@code FOR} with a duration. */
  private static boolean isLasting(StatementContext before) {
    return before.clause().equals("FOR") && !before.hasBegun("FOR EACH");
  }

  /** THEN and AFTER follow WHEN, and their own parts follow them. */
  private static void responses(StatementContext before, Offers offers) {
    if (before.hasBegun("THEN")) {
      offers.words("clauses", List.of("WITHIN", "UNLESS"));
    } else if (before.hasBegun("AFTER")) {
      offers.words("clauses", List.of("WITHIN"));
    } else if (before.clause().equals("WHEN") || isLasting(before)) {
      offers.words("clauses", RESPONSES);
    }
  }

  private static boolean hasBegun(StatementContext before, String clause) {
    String[] words = clause.split(" ", 3);
    return before.hasBegun(words[0])
        || (words.length > 1 && before.hasBegun(words[0] + " " + words[1]));
  }

  /** Returns the variables of these logs, or of all logs if none of them is known. */
  private List<String> variables(List<String> named) {
    List<LogDescription> logs = catalogs.get().logs();
    List<LogDescription> chosen = logs.stream().filter(log -> named.contains(log.name())).toList();
    return (chosen.isEmpty() ? logs : chosen)
        .stream().flatMap(log -> log.variables().stream()).distinct().limit(MAX_NAMES).toList();
  }

  private static String quoted(String name) {
    boolean plain =
        PLAIN_NAME.matcher(name).matches() && !RESERVED.contains(name.toUpperCase(Locale.ROOT));
    return plain ? name : "`" + name.replace("`", "``") + "`";
  }

  /** The candidates, in the case that is being typed. */
  private record Offers(List<Offer> candidates, boolean lower, boolean nothingTyped) {
    void words(String group, Collection<String> words) {
      add(group, words.stream().map(w -> lower ? w.toLowerCase(Locale.ROOT) : w).toList());
    }

    /** Adds words only if a prefix is typed, because all of them would fill the screen. */
    void typed(String group, Collection<String> words) {
      if (!nothingTyped) {
        words(group, words);
      }
    }

    void functions() {
      if (nothingTyped) {
        return;
      }
      for (RqlFunction function : RqlFunction.all()) {
        String name = function.displayName();
        String text = (lower ? name.toLowerCase(Locale.ROOT) : name) + "(";
        String description = function.signature().description();
        candidates.add(
            new Offer(text, function.signature().text(), "functions", description, false));
      }
    }

    void names(String group, Collection<String> names) {
      add(group, written(names));
    }

    void add(String group, Collection<String> texts) {
      for (String text : texts) {
        boolean known = candidates.stream().anyMatch(candidate -> candidate.text().equals(text));
        if (!known) {
          candidates.add(new Offer(text, text, group, "", true));
        }
      }
    }
  }
}
