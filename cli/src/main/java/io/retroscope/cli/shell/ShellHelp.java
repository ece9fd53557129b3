// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import io.retroscope.rql.analysis.RqlFunction;
import io.retroscope.rql.analysis.Signature;
import io.retroscope.rql.print.OutputFormat;
import io.retroscope.rql.print.ValueText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The help of {@code \?}: an overview, or the description of one word. */
final class ShellHelp {
  static final String TEXT =
      """
      A statement ends with a semicolon and may take several lines:
        SHOW LOGS;  SHOW NODES;  DESCRIBE setd;                  the logs, nodes and variables
        SELECT r1 FROM setd LIMIT 10;                            cut by cut, the value at every node
        SELECT r1 FROM setd WHEN SPREAD(r1) >= 2;                the cuts where replicas differ
        SELECT STREAM r1 FROM setd;                              the same, as it happens
      help select, help when, help spread ... say more; help functions lists them.

      Commands, where no statement has begun (help and \\q anywhere):
        \\d              list the logs
        \\d LOG          describe a log
        \\d+ [LOG]       the same with the nodes, or with the log's state at its end
        \\x [WHEN]       print each value on its own line: on, off, auto (where a table is too wide)
        \\format NAME    print results as %s
        \\rows N|all     the number of rows that are shown (40)
        \\pager [on]     show results that are longer than the screen by screens ($PAGER)
        \\set [NAME X]   list the settings, or change one: \\set columns all, \\set zone local;
                        any other name is a variable: :NAME in a statement is X, :'NAME' the string
        \\unset NAME     remove a variable
        \\conninfo       what statements are sent to
        \\timing [on]    print the time of each statement, or stop printing it
        \\o [FILE]       write results to a file; without one, show them here
        \\i FILE         run the statements in a file
        \\play FILE      write the sound of the last statement, with PLAY: .wav or .mid
        \\watch [S [N]]  repeat the last statement every S seconds (2), N times
        \\e [FILE]       edit the last statement, or a file, with $EDITOR, and run it
        \\! COMMAND      run a command of the system
        \\echo TEXT      print a text
        \\? [TOPIC]      this help, or help on one word (also: help)
        \\q              leave (also: exit, quit, Ctrl-D)

      Keys: Tab completes, Ctrl-R searches the history, Ctrl-C cancels the line or the query.
      """
          .formatted(OutputFormat.words());

  private static final String SELECT =
      """
      SELECT [STREAM] items FROM log, ...
        [FOR EACH VARIABLE v [LIKE 'pattern']]                 run the query for every variable,
        [FOR EACH NODE n | FOR EACH VALUE x IN e]              every node, every element
        [COMPUTE expression]                                   state of your own, before WHEN
        [WHEN condition [FOR duration]]                        only where it holds, for this long
          [[NOT] THEN condition WITHIN duration [UNLESS c]]    what came after it (did not come)
          [[NOT] AFTER condition [WITHIN duration]]            what came before it (had not come)
        [AT NODES node, ... | AT LIVE NODES]                   only these nodes; only live nodes
        [ON TIME point [TO point] | ON TIME LAST duration]     one instant, or a range of time
        [EMIT CUTS | EMIT INTERVALS | EMIT EDGES]              each cut; start and end; changes
        [LIMIT n] [ON ERROR SKIP] [PLAY instrument ...]        sound: see help play

      SELECT items FROM (SELECT ...) [WHERE condition] [GROUP BY expression, ...]
        [ORDER BY expression [DESC], ...] [LIMIT n]            the rows of another query

      A bare variable is its value at every node; r1@zk1 is the one at a node.
        SELECT r1, SPREAD(r1) AS lag FROM setd WHEN SPREAD(r1) >= 2 EMIT INTERVALS;
        SELECT * FROM setd ON TIME '2026-11-20T18:40:00.018Z';
        SELECT time, durationMicros
          FROM (SELECT r1 FROM setd WHEN SPREAD(r1) >= 2 EMIT INTERVALS)
          ORDER BY durationMicros DESC LIMIT 5;
      """;

  private static final String WHEN =
      """
      WHEN condition           keeps the cuts in which it is TRUE
      WHEN condition FOR 5ms   keeps the runs of such cuts that last this long

        WHEN EXISTS v IN r1 : (v > 3)                          at some node
        WHEN FORALL v IN r1 : (v > 3)                          at every node
        WHEN COUNT n IN NODES : (role@n = 'leader') >= 2       at two or more nodes
        WHEN SPREAD(r1) >= 2                                   over all nodes: MIN, MAX, AVG, ...
        WHEN r1@zk1 > 3                                        at one node

      WHEN p THEN q WITHIN 5s      a row for each p that q followed in time
      WHEN p NOT THEN q WITHIN 5s  for each p that it did not; UNLESS u excuses it
      WHEN p AFTER q WITHIN 5s     the runs of p that q preceded; NOT AFTER: the others
      """;

  private static final String EMIT =
      """
      EMIT CUTS        a row for each cut that satisfies WHEN (the default)
      EMIT INTERVALS   a row for each unbroken run of them: start, end, duration, number of cuts
      EMIT EDGES       a row where the condition begins to hold, and one where it ends
      """;

  private static final String AT =
      """
      AT NODES zk1, zk2    the cut contains only these nodes
      AT LIVE NODES        each cut contains the nodes seen within the idle timeout;
                           a column "missing" names the others
      AT ALL_NODES         every node (the default)
      """;

  private static final String ON =
      """
      ON TIME point               the state at one instant
      ON TIME point TO point      a range of time; with STREAM, history before live rows
      ON TIME LAST 5m             the last five minutes of the stored events
      ON ERROR SKIP               counts the cuts that fail, and continues

      A point is '2026-11-20T18:40:00.018Z', a stamp as results show it, or NOW - 5m.
      """;

  private static final String FOR =
      """
      FOR EACH VARIABLE v [LIKE 'app/%']   runs the query for every variable, including new ones
        SELECT NAME(v), SPREAD(v) FROM setd FOR EACH VARIABLE v WHEN SPREAD(v) >= 2;
      FOR EACH NODE n                      runs it for every node, with runs of its own
        SELECT n FROM setd FOR EACH NODE n WHEN r1@n < MAX(r1) FOR 5ms;
      FOR EACH VALUE x IN e                runs it for every element, such as each request's id
        SELECT r FROM web FOR EACH VALUE r IN req WHEN TRUE NOT THEN r IN rep WITHIN 5s;
      WHEN condition FOR 5ms               keeps the runs of cuts that last this long
      """;

  private static final String COMPUTE =
      """
      COMPUTE runs at each cut, before WHEN. It declares names and assigns them, joined with AND:
        VAR x      fresh at every cut
        GLOBAL x   keeps its value from cut to cut
        OUT x      fresh, and a column of the result

        SELECT r1 FROM setd COMPUTE OUT behind AND
          (FOREACH n IN NODES : (behind := behind UNION (r1@n < MAX(r1) ? ({n}) : ({}))));
      """;

  private static final String STREAM =
      """
      SELECT STREAM ...                   the rows as they happen, until Ctrl-C
      SELECT STREAM ... ON TIME NOW - 1m  the last minute first, then live, nothing lost between
      """;

  private static final String SHOW =
      """
      SHOW LOGS;  SHOW NODES;              the recorded logs, and the nodes
      SHOW VARIABLES [FROM log] [LIKE 'app/%'];
      DESCRIBE log;                        its variables, their types, and their last writes
      FORGET NODE node;                    a node that will not return is no longer missing
      SHOW ALIGNMENT;                      the clock offset of each node
      SHOW QUERIES;                        the running queries
      KILL QUERY id;                       ends one of them

      CREATE ALERT name [WITH (severity='page', keep=30s)] AS (NEVER p FROM log);
      SHOW ALERTS;  DESCRIBE ALERT name;   the alerts of the server, and what holds
      ACKNOWLEDGE ALERT name [FOR 'item'];
      MUTE ALERT name FOR 1h;  DROP ALERT name;

      EXPLAIN CUT hlc'...' OF SELECT ...;  why WHEN is TRUE there: values, causes, order
      EXPLAIN EPISODE 'rule@stamp';        the same for an episode; needs shell --rules FILE
      """;

  private static final String PLAY =
      """
      PLAY instrument [NOTE n] [SCALE minor] [VELOCITY n] [LENGTH duration] [PAN x]
        each row is also a note; PAN is -1 (left) to 1 (right)
      PLAY instrument [EACH n IN NODES : (p)] LEVEL x [STEPS {2, 3, 4, 8}] [PLACE n] [EVERY duration]
        a strike for each step that x reaches; EACH has one voice per node, PLACE a side for each
      PLAY instrument AS BACKGROUND FOLLOW x RANGE a TO b
        sounds all the time, brighter and louder as x goes from a to b
      PLAY instrument AS ALARM [EVERY duration]
        bursts while WHEN holds, until it is acknowledged
        SELECT r1 FROM setd WHEN SPREAD(r1) >= 2 PLAY woodblock NOTE 60 + 2 * SPREAD(r1);
        SELECT r1 FROM setd PLAY wood EACH n IN NODES : (MAX(r1) - r1@n >= 2)
          LEVEL MAX(r1) - r1@n PLACE n;
      ./retroscope sounds lists and plays the instruments.
      \\play FILE.wav writes the sound of the last statement; ./retroscope listen plays live ones.
      """;

  private static final String EXPLAIN =
      """
      EXPLAIN SELECT ...           the plan: what is read, what is skipped, how WHEN is evaluated
      EXPLAIN ANALYZE SELECT ...   runs it too, and adds rows, cuts, blocks and time
      """;

  private static final String POSSIBLY =
      """
      POSSIBLY p FROM log, ... [AT NODES node, ...] [ON TIME point TO point]
        whether some interleaving that the recorded messages allow passes a cut that satisfies p
      DEFINITELY p FROM log, ...   whether each interleaving passes one
        POSSIBLY COUNT n IN NODES : (role@n = 'leader') >= 2 FROM raft;
      The answer has the least such cut, and the messages that bound it. Clocks are not used.
      """;

  private static final Map<String, String> TOPICS = topicTexts();

  private ShellHelp() {}

  private static Map<String, String> topicTexts() {
    Map<String, String> texts = new LinkedHashMap<>();
    texts.put("select", SELECT);
    texts.put("when", WHEN);
    texts.put("emit", EMIT);
    texts.put("at", AT);
    texts.put("on", ON);
    texts.put("for", FOR);
    texts.put("compute", COMPUTE);
    texts.put("stream", STREAM);
    texts.put("play", PLAY);
    texts.put("show", SHOW);
    texts.put("describe", SHOW);
    texts.put("kill", SHOW);
    texts.put("explain", EXPLAIN);
    texts.put("possibly", POSSIBLY);
    texts.put("functions", functions(RqlFunction.all()));
    return texts;
  }

  private static String functions(List<RqlFunction> functions) {
    List<Signature> signatures = functions.stream().map(RqlFunction::signature).toList();
    int width = signatures.stream().mapToInt(s -> s.text().length()).max().orElse(0);
    return signatures.stream()
        .map(s -> ValueText.pad(s.text(), width, false) + "   " + s.description() + "\n")
        .collect(Collectors.joining());
  }

  /** Returns help on a word of the language or a function, or the overview for an empty topic. */
  static Optional<String> on(String topic) {
    String words = topic.toLowerCase(Locale.ROOT).replaceFirst("[;(].*", "").strip();
    if (words.isEmpty()) {
      return Optional.of(TEXT);
    }
    String first = words.split("\\s+", 2)[0];
    return Optional.ofNullable(TOPICS.get(first))
        .or(() -> RqlFunction.named(first).map(function -> functions(List.of(function))))
        .or(() -> line(first));
  }

  /** Returns the line of a command. */
  private static Optional<String> line(String command) {
    return command.startsWith("\\")
        ? TEXT.lines()
            .filter(line -> line.startsWith("  " + command + " "))
            .map(line -> line.strip() + "\n")
            .reduce(String::concat)
        : Optional.empty();
  }

  /** All topics, for completion. */
  static List<String> topics() {
    List<String> topics = new ArrayList<>(TOPICS.keySet());
    RqlFunction.all().stream()
        .map(f -> f.displayName().toLowerCase(Locale.ROOT))
        .forEach(topics::add);
    return topics;
  }
}
