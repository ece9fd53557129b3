package io.retroscope.rql.shell;

import io.retroscope.rql.analysis.Function;
import io.retroscope.rql.client.Catalog;
import io.retroscope.rql.parser.RqlToken;
import io.retroscope.rql.parser.RqlToken.Kind;
import io.retroscope.rql.shell.EditorParser.EditorLine;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jline.reader.Candidate;
import org.jline.reader.Completer;
import org.jline.reader.LineReader;
import org.jline.reader.ParsedLine;

/** Offers what may stand at the cursor: words, functions, and what the server knows. */
final class RqlCompleter implements Completer {
  /** Names of one kind that are offered at most. */
  static final int MAX_NAMES = 1_000;

  static final List<String> COMMANDS =
      List.of(
          "\\?", "\\d", "\\format", "\\i", "\\o", "\\play", "\\q", "\\timing", "\\watch", "\\x");

  private static final List<String> STARTS =
      List.of("SELECT", "SHOW", "DESCRIBE", "EXPLAIN", "help", "exit", "quit");
  private static final List<String> SUBJECTS =
      List.of("LOGS", "NODES", "ALIGNMENT", "QUERIES", "VARIABLES");
  private static final List<String> CLAUSES =
      List.of("FROM", "FOR", "COMPUTE", "WHEN", "AT", "ON", "EMIT", "LIMIT", "PLAY");
  private static final Set<String> ENDS = Set.of(")", "}", "*");
  private static final Pattern PLAIN_NAME = Pattern.compile("[\\p{L}_$][\\p{L}\\p{Nd}_$]*");
  private static final Set<String> KEYWORDS = Set.copyOf(RqlToken.keywords());

  private final CatalogCache catalogs;

  RqlCompleter(CatalogCache catalogs) {
    this.catalogs = catalogs;
  }

  @Override
  public void complete(LineReader reader, ParsedLine line, List<Candidate> candidates) {
    EditorLine edited = (EditorLine) line;
    boolean lower = edited.word().chars().anyMatch(Character::isLowerCase);
    Offers offers = new Offers(candidates, lower);
    String command = edited.line().substring(0, edited.wordStart()).strip();
    if (edited.word().startsWith("\\")) {
      offers.add("commands", COMMANDS);
    } else if (command.startsWith("\\")) {
      argument(command, offers);
    } else {
      statement(edited.before(), edited.word().isEmpty(), offers);
    }
  }

  private void argument(String command, Offers offers) {
    if (command.equals("\\d")) {
      offers.names("logs", logNames());
    } else if (command.equals("\\format")) {
      offers.add("formats", Stream.of(OutputFormat.values()).map(OutputFormat::word).toList());
    }
  }

  private void statement(List<RqlToken> all, boolean nothingTyped, Offers offers) {
    List<RqlToken> before = sinceSemicolon(all);
    String previous = word(before, before.size() - 1);
    String clause = lastClause(before);
    boolean afterComma = previous.equals(",");
    if (before.isEmpty()) {
      offers.words("statements", STARTS);
      offers.functions();
    } else if (previous.equals("@") || (clause.equals("AT NODES") && wantsName(previous))) {
      offers.names("nodes", catalogs.get().nodes());
    } else if (previous.equals("DESCRIBE")
        || previous.equals("FROM")
        || (clause.equals("FROM") && afterComma)) {
      offers.names("logs", logNames());
    } else if (previous.equals("SHOW")) {
      offers.words("subjects", SUBJECTS);
    } else if (previous.equals("AT")) {
      offers.words("nodes", List.of("NODES", "ALL_NODES", "LIVE"));
    } else if (previous.equals("EMIT")) {
      offers.words("rows", List.of("CUTS", "INTERVALS", "EDGES"));
    } else if (previous.equals("ON")) {
      offers.words("clauses", List.of("TIME", "ERROR"));
    } else if (nothingTyped && endsOperand(before)) {
      offers.words("clauses", CLAUSES);
    } else {
      offers.names("variables", variables(before));
      if (!nothingTyped) { // everything at once would fill the screen
        offers.words("words", KEYWORDS);
        offers.functions();
        offers.names("logs", logNames());
      }
    }
  }

  /** Whether an expression or a name is complete, so that a clause may follow. */
  private static boolean endsOperand(List<RqlToken> tokens) {
    RqlToken last = tokens.get(tokens.size() - 1);
    return switch (last.kind()) {
      case NAME, QUOTED_NAME, STRING, NUMBER -> true;
      case SYMBOL -> ENDS.contains(last.text());
      case KEYWORD, COMMENT, SEMICOLON, UNTERMINATED -> false;
    };
  }

  private static List<RqlToken> sinceSemicolon(List<RqlToken> all) {
    List<RqlToken> since = new ArrayList<>();
    for (RqlToken token : all) {
      if (token.kind() == Kind.SEMICOLON) {
        since.clear();
      } else if (token.kind() != Kind.COMMENT) {
        since.add(token);
      }
    }
    return since;
  }

  private static String word(List<RqlToken> tokens, int index) {
    return index < 0 ? "" : tokens.get(index).text().toUpperCase(Locale.ROOT);
  }

  private static boolean wantsName(String previous) {
    return previous.equals(",") || previous.equals("NODES");
  }

  /** The word that began the clause at the end: only lists of names matter here. */
  private static String lastClause(List<RqlToken> tokens) {
    for (int i = tokens.size() - 1; i >= 0; i--) {
      String word = word(tokens, i);
      if (word.equals("NODES") && word(tokens, i - 1).equals("AT")) {
        return "AT NODES";
      }
      if (tokens.get(i).kind() == Kind.KEYWORD) {
        return word;
      }
    }
    return "";
  }

  private List<String> logNames() {
    return catalogs.get().logs().stream().map(Catalog.Log::name).toList();
  }

  /** The variables of the logs that the statement names; of all logs before it names one. */
  private Collection<String> variables(List<RqlToken> tokens) {
    Set<String> named =
        tokens.stream().map(token -> token.text().replace("`", "")).collect(Collectors.toSet());
    List<Catalog.Log> logs = catalogs.get().logs();
    List<Catalog.Log> chosen = logs.stream().filter(log -> named.contains(log.name())).toList();
    return (chosen.isEmpty() ? logs : chosen)
        .stream().flatMap(log -> log.variables().stream()).distinct().limit(MAX_NAMES).toList();
  }

  /** Collects candidates in the case that is being typed. */
  private record Offers(List<Candidate> candidates, boolean lower) {
    void words(String group, Collection<String> words) {
      add(group, words.stream().map(w -> lower ? w.toLowerCase(Locale.ROOT) : w).toList());
    }

    void functions() {
      for (Function function : Function.values()) {
        String name = function.displayName();
        String text = (lower ? name.toLowerCase(Locale.ROOT) : name) + "(";
        String description = function.description();
        candidates.add(
            new Candidate(text, function.signature(), "functions", description, null, null, false));
      }
    }

    void names(String group, Collection<String> names) {
      add(group, names.stream().limit(MAX_NAMES).map(Offers::quoted).toList());
    }

    void add(String group, Collection<String> texts) {
      for (String text : texts) {
        candidates.add(new Candidate(text, text, group, null, null, null, true));
      }
    }

    private static String quoted(String name) {
      boolean plain =
          PLAIN_NAME.matcher(name).matches() && !KEYWORDS.contains(name.toUpperCase(Locale.ROOT));
      return plain ? name : "`" + name.replace("`", "``") + "`";
    }
  }
}
