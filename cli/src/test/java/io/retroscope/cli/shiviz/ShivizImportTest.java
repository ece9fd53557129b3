// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shiviz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.cli.file.InputException;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.json.NdjsonWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ShivizImportTest {
  private static final String PING =
      """
      a {"a":1}
      ping
      b {"b":1, "a":1}
      pong
      a {"a":2, "b":1}
      done
      """;

  @Test
  void read_pingPong_becomesEventsInCausalOrder() {
    ShivizImport.Result result = read(PING);
    assertThat(result.events().stream().map(NdjsonWriter::line))
        .containsExactly(
            "{\"node\":\"a\",\"log\":\"shiviz\",\"hlc\":\"1001000.0\",\"message\":\"ping\"}",
            "{\"node\":\"a\",\"log\":\"shiviz\",\"hlc\":\"1001000.1\",\"send\":{\"to\":\"b\",\"id\":\"a:1>b:1\"}}",
            "{\"node\":\"b\",\"log\":\"shiviz\",\"hlc\":\"1002000.0\",\"receive\":{\"from\":\"a\",\"id\":\"a:1>b:1\"}}",
            "{\"node\":\"b\",\"log\":\"shiviz\",\"hlc\":\"1002000.1\",\"message\":\"pong\"}",
            "{\"node\":\"b\",\"log\":\"shiviz\",\"hlc\":\"1002000.2\",\"send\":{\"to\":\"a\",\"id\":\"b:1>a:2\"}}",
            "{\"node\":\"a\",\"log\":\"shiviz\",\"hlc\":\"1003000.0\",\"receive\":{\"from\":\"b\",\"id\":\"b:1>a:2\"}}",
            "{\"node\":\"a\",\"log\":\"shiviz\",\"hlc\":\"1003000.1\",\"message\":\"done\"}");
    assertThat(result.entryCount()).isEqualTo(3);
    assertThat(result.nodeCount()).isEqualTo(2);
    assertThat(result.messageCount()).isEqualTo(2);
    assertThat(result.executionCount()).isEqualTo(1);
  }

  @Test
  void read_windowsLineEndsMarkAndBlankLines_areTheSame() {
    String windows = "\uFEFF\n" + PING.replace("b {", "\n\nb {");
    assertThat(read(windows.replace("\n", "\r\n")).events()).isEqualTo(read(PING).events());
  }

  @Test
  void read_firstLineWithExpression_isUsed() {
    String log =
        """
        (?<event>.*)\\n(?<host>\\S*) (?<clock>{.*})

        first
        a {"a":1}
        """;
    assertThat(message(read(log).events().get(0))).isEqualTo("first");
  }

  @Test
  void read_clockBelowTheTextWithoutExpression_isNoticed() {
    String log =
        """

        sent to 2\s
        1 {"1":1}\s
        got from 1\s
        2 {"1":1, "2":1}\s

        all done
        1 {"1":2}
        """;
    ShivizImport.Result result = read(log);
    assertThat(result.entryCount()).isEqualTo(3);
    assertThat(result.messageCount()).isEqualTo(1);
    assertThat(message(result.events().get(0))).isEqualTo("sent to 2");
  }

  @Test
  void read_clockBrokenOffInAUsualLog_isRefused() {
    assertThatThrownBy(() -> read("a {\"a\":1}\nx\nb {\"b\":1\ny\n"))
        .isInstanceOf(InputException.class)
        .hasMessageContaining(":3: broken clock {\"b\":1, or no line of text to it");
  }

  @Test
  void read_expressionOnTheFirstLineAndNoBlankLine_losesNoEvent() {
    String log = ShivizLog.CLOCK_FIRST + "\n" + PING;
    assertThat(read(log).events()).isEqualTo(read(PING).events());
  }

  @Test
  void read_executionsOfOneFile_followEachOtherWithoutState() {
    String log =
        """
        (?<host>\\S*) (?<clock>{.*}) term=(?<term>\\d+)\\n(?<event>.*)
        ^=== (?<trace>.*) ===$
        === one ===
        a {"a":1} term=1
        x
        === two ===
        a {"a":1} term=2
        y
        """;
    ShivizImport.Result result = read(log);
    assertThat(result.executionCount()).isEqualTo(2);
    assertThat(result.nodeCount()).isEqualTo(1);
    assertThat(result.events().stream().map(event -> event.body().getClass().getSimpleName()))
        .containsExactly(
            "Start", "StateChange", "LogLine", "Stop", "Start", "StateChange", "LogLine", "Stop");
    assertThat(result.events()).isSortedAccordingTo((a, b) -> Long.compare(a.hlc(), b.hlc()));
  }

  @Test
  void read_delimiterGiven_dividesWithoutAHeader() {
    String log = PING + "======\n" + PING;
    assertThat(
            ShivizImport.read(
                    Map.of("f.log", log),
                    new ShivizImport.Form(
                        "shiviz", Optional.empty(), Optional.of("^={5,}$"), false))
                .executionCount())
        .isEqualTo(2);
  }

  @Test
  void read_severalFilesWithoutDelimiter_areOneExecution() {
    Map<String, String> texts = new LinkedHashMap<>();
    texts.put("b.log", "b {\"b\":1, \"a\":1}\npong\n");
    texts.put("a.log", "a {\"a\":1}\nping\na {\"a\":2, \"b\":1}\ndone\n");
    ShivizImport.Result result =
        ShivizImport.read(
            texts, new ShivizImport.Form("shiviz", Optional.empty(), Optional.empty(), false));
    assertThat(result.events()).isEqualTo(read(PING).events());
  }

  @Test
  void read_otherGroups_becomeVariablesOfGuessedTypes() {
    String log =
        """
        (?<host>\\S*) (?<clock>{.*}) (?<n>\\S+) (?<d>\\S+) (?<b>\\S+) (?<id>\\S+) (?<mixed>\\S+)( (?<sometimes>\\S+))?\\n(?<event>.*)

        a {"a":1} 1 1 true 007 1
        x
        a {"a":2} -2 2.5 FALSE 12 n/a yes
        y
        """;
    assertThat(
            read(log).events().stream()
                .filter(event -> event.body() instanceof EventBody.StateChange)
                .map(event -> NdjsonWriter.line(event).replaceAll(".*\"set\":", "")))
        .containsExactly(
            "{\"n\":1,\"d\":1.0,\"b\":true,\"id\":\"007\",\"mixed\":\"1\"}}",
            "{\"n\":-2,\"d\":2.5,\"b\":false,\"id\":\"12\",\"mixed\":\"n/a\",\"sometimes\":\"yes\"}}");
  }

  /** b's message to c carries a's event: a's own message to c is implied and not drawn. */
  @Test
  void read_impliedMessages_areLeftOut() {
    String log =
        """
        a {"a":1}
        x
        b {"a":1, "b":1}
        y
        c {"a":1, "b":1, "c":1}
        z
        c {"a":1, "b":1, "c":2}
        z again
        """;
    assertThat(receives(read(log))).containsExactly("a:1>b:1", "b:1>c:1");
  }

  @Test
  void read_clockPrintedAsAString_isUnderstood() {
    String log =
        """
        (?<host>\\S*) "(?<clock>.*)" (?<event>.*)

        n6 "{\\"n1\\":0,\\"n6\\":1}" sends
        """;
    assertThat(read(log).entryCount()).isEqualTo(1);
  }

  @Test
  void read_gapInAHostsClock_isRefused() {
    assertRefused(
        "a {\"a\":1}\nx\na {\"a\":3}\ny\n",
        "f.log:3: host \"a\" continues with event 3, but event 2 is missing; --allow-gaps accepts that");
  }

  @Test
  void read_repeatInAHostsClock_isRefused() {
    assertRefused(
        "a {\"a\":1}\nx\na {\"a\":1}\ny\n", "f.log:3: event 1 of host \"a\" is there twice");
  }

  @Test
  void read_unknownHost_isRefused() {
    assertRefused(
        "a {\"a\":1, \"z\":2}\nx\n",
        "f.log:1: the clock mentions host \"z\", which has no event; --allow-gaps accepts that");
  }

  @Test
  void read_laterEventThanExists_isRefused() {
    assertRefused(
        "b {\"b\":1}\nx\na {\"a\":1, \"b\":2}\nx\n",
        "f.log:3: the clock knows event 2 of host \"b\", which has only 1; --allow-gaps accepts that");
  }

  @Test
  void read_cycle_isRefused() {
    assertRefused(
        "a {\"a\":1, \"b\":1}\nx\nb {\"a\":1, \"b\":1}\ny\n",
        "f.log:1: by the clocks, event 1 of host \"a\" happened before itself");
  }

  @Test
  void read_brokenJson_isRefused() {
    assertThatThrownBy(() -> read("\na {\"a\":1,}\nx\n"))
        .isInstanceOf(InputException.class)
        .hasMessageStartingWith("f.log:2: broken clock {\"a\":1,}: ");
    assertThatThrownBy(() -> read("a {\"a\":\"one\"}\nx\n"))
        .hasMessage("f.log:1: the clock's entry for \"a\" is not a count of events: \"one\"");
    assertThatThrownBy(() -> read("a {\"b\":1}\nx\n"))
        .hasMessage("f.log:1: the clock of host \"a\" does not count its own events");
  }

  @Test
  void read_missingGroup_isRefused() {
    assertThatThrownBy(
            () ->
                ShivizImport.read(
                    Map.of("f.log", PING),
                    new ShivizImport.Form(
                        "shiviz",
                        Optional.of("(?<host>\\S*) (?<clock>{.*})"),
                        Optional.empty(),
                        false)))
        .hasMessage("f.log: the regular expression has no group (?<event>...)");
  }

  @Test
  void read_patternThatMatchesNothing_isRefused() {
    assertRefused(
        "\n2026-01-01 nothing of the sort\n",
        "f.log:2: is neither NDJSON nor blocks, and as a ShiViz log it has no line such as host"
            + " {\"host\":1} from here on; logs of other forms need --regex");
    assertRefused(
        "(?<host>x) (?<clock>y) (?<event>z)\n\nx  y z\n",
        "f.log:3: the regular expression matches nothing from here on");
    assertRefused(" \n\n", "f.log: is empty");
  }

  @Test
  void read_endlessExpression_isRefused() {
    String text = "a".repeat(200) + " {\"a\":1}\nx";
    assertThatThrownBy(
            () ->
                ShivizImport.read(
                    Map.of("f.log", text),
                    new ShivizImport.Form(
                        "shiviz",
                        Optional.of("(?<host>(a|aa)+)\\2b(?<clock>{})(?<event>)"),
                        Optional.empty(),
                        false)))
        .hasMessage(
            "f.log: the regular expression takes too long on this text: make it more specific");
  }

  @Test
  void read_moreThanFitsIntoMemory_isRefused() {
    int hosts = (int) Math.sqrt(CausalOrder.MAX_PAST_CELLS) + 1;
    StringBuilder log = new StringBuilder();
    for (int i = 0; i < hosts; i++) {
      log.append("h%d {\"h%d\":1}\nx\n".formatted(i, i));
    }
    assertRefused(
        log.toString(),
        "f.log:1: %d events of %d hosts are too many: events times hosts may be 50000000"
            .formatted(hosts, hosts));
  }

  /** Random executions of random messages, in which stamps must respect the clocks. */
  @Test
  void read_randomExecution_stampsRespectHappenedBefore() {
    long seed = Long.getLong("seed", 4711);
    Random random = new Random(seed);
    for (int run = 0; run < 40; run++) {
      RandomExecution execution = new RandomExecution(random);
      ShivizImport.Result result = read(execution.log());
      Map<String, Long> stamps = new LinkedHashMap<>();
      result.events().stream()
          .filter(event -> event.body() instanceof EventBody.LogLine)
          .forEach(event -> stamps.put(message(event), event.hlc()));
      execution.checkOrder(stamps, seed);
      assertThat(result.messageCount())
          .as("seed %d: arrows of the transitive reduction", seed)
          .isEqualTo(execution.reducedArrowCount());
      assertThat(result.events().stream().map(e -> e.node() + e.hlc())).doesNotHaveDuplicates();
      assertReceivesAfterSends(result.events());
    }
  }

  private static ShivizImport.Result readWithGaps(String log) {
    return ShivizImport.read(
        Map.of("f.log", log),
        new ShivizImport.Form("shiviz", Optional.empty(), Optional.empty(), true));
  }

  /** Random executions, some events of which, or all events of a host, are missing. */
  @Test
  void read_logWithGaps_stampsRespectHappenedBefore_andLossesAreCounted() {
    long seed = Long.getLong("seed", 4713);
    Random random = new Random(seed);
    long all = 0;
    for (int run = 0; run < 40; run++) {
      RandomExecution execution = new RandomExecution(random);
      int lostHost = random.nextInt(2 * RandomExecution.HOSTS);
      execution
          .clocks
          .keySet()
          .removeIf(name -> execution.hosts.get(name) == lostHost || random.nextInt(5) == 0);
      ShivizImport.Result result = readWithGaps(execution.log());
      Map<String, Long> stamps = new LinkedHashMap<>();
      result.events().stream()
          .filter(event -> event.body() instanceof EventBody.LogLine)
          .forEach(event -> stamps.put(message(event), event.hlc()));
      assertThat(stamps).as("seed %d", seed).hasSameSizeAs(execution.clocks);
      execution.checkOrder(stamps, seed);
      assertReceivesAfterSends(result.events());
      long lost = result.gaps().stream().mapToLong(gap -> gap.eventCount()).sum();
      assertThat(lost).as("seed %d, run %d", seed, run).isEqualTo(execution.knownLosses());
      assertThat(result.gaps()).allMatch(gap -> gap.range().from() < gap.range().to());
      all += lost;
    }
    assertThat(all).isGreaterThan(100);
  }

  @Test
  void read_gaps_areBetweenTheEventsAroundThem() {
    ShivizImport.Result result =
        readWithGaps("a {\"a\":1}\nx\na {\"a\":4}\ny\nb {\"b\":1,\"a\":3,\"c\":2}\nz\n");

    assertThat(result.gaps().stream().map(gap -> gap.node() + " " + gap.eventCount()))
        .containsExactlyInAnyOrder("a 2", "c 2");
    // What sent the message is missing, so there is none.
    assertThat(result.messageCount()).isZero();
    Event x = result.events().get(0);
    assertThat(result.gaps().get(0).range().from()).isEqualTo(x.hlc());
    assertThat(result.events().get(2).hlc()).as("b after x").isGreaterThan(x.hlc());
  }

  /** The clock of b is 300 s behind. */
  @Test
  void read_physicalTimes_areReadings_andStampsFollowThem() {
    String log =
        """
        (?<pt>\\S+) (?<event>.*)\\n(?<host>\\w*) (?<clock>{.*})

        1795200000000 send
        a {"a":1}
        2026-11-20T18:35:00.5Z got
        b {"b":1,"a":1}
        1795200001.25 later
        a {"a":2}
        """;
    List<Event> events = read(log).events();

    assertThat(events.stream().map(event -> event.node() + " " + event.physicalMicros()))
        .containsExactly(
            "a 1795200000000000",
            "a 1795200000000000",
            "b 1795199700500000",
            "b 1795199700500000",
            "a 1795200001250000");
    assertThat(HlcTimestamp.text(events.get(3).hlc())).isEqualTo("1795200000000000.3");
    assertThat(HlcTimestamp.text(events.get(4).hlc())).isEqualTo("1795200001250000.0");
    assertRefused(
        log.replace("1795200001.25", "soon"),
        "f.log:8: pt is no time: \"soon\"; a number of s, ms, us or ns since 1970, or one such as 2026-11-20T18:40:00Z is");
  }

  @Test
  void read_executionsWithNames_keepThem() {
    String log =
        """
        (?<host>\\S*) (?<clock>{.*})\\n(?<event>.*)
        === (?<trace>.*) ===
        === good ===
        a {"a":1}
        x
        === bad ===
        a {"a":1}
        y
        === bad ===
        a {"a":1}
        z
        """;

    assertThat(
            read(log).events().stream()
                .filter(event -> event.body() instanceof EventBody.Start)
                .map(event -> ((EventBody.Start) event.body()).incarnation()))
        .containsExactly("good", "bad", "bad (3)");
  }

  /** Two lines of different hosts can be at one instant exactly if their clocks are unordered. */
  @Test
  void possibly_overImportedLines_followsTheVectorClocks() {
    long seed = Long.getLong("seed", 4712);
    Random random = new Random(seed);
    int concurrent = 0;
    for (int run = 0; run < 8; run++) {
      RandomExecution execution = new RandomExecution(random);
      QueryEngine engine =
          new QueryEngine(
              new InMemoryEventSource(read(execution.log()).events(), ClockOffsets.UNKNOWN),
              QueryLimits.DEFAULT);
      for (int pair = 0; pair < 30; pair++) {
        String a = "event " + random.nextInt(RandomExecution.EVENTS);
        String b = "event " + random.nextInt(RandomExecution.EVENTS);
        if (!execution.hosts.get(a).equals(execution.hosts.get(b))) {
          String predicate =
              "message@h%d = '%s' AND message@h%d = '%s' FROM shiviz"
                  .formatted(execution.hosts.get(a), a, execution.hosts.get(b), b);
          boolean unordered = !execution.happenedBefore(a, b) && !execution.happenedBefore(b, a);
          concurrent += unordered ? 1 : 0;
          String what = "seed %d, run %d: %s".formatted(seed, run, predicate);
          assertThat(answer(engine, "POSSIBLY " + predicate)).as(what).isEqualTo(unordered);
          assertThat(answer(engine, "DEFINITELY " + predicate)).as(what).isFalse();
        }
      }
    }
    assertThat(concurrent).isGreaterThan(20);
  }

  private static boolean answer(QueryEngine engine, String statement) {
    List<Row> rows = new ArrayList<>();
    engine.run(
        engine.prepare(statement),
        new RowSink() {
          @Override
          public void columns(List<Column> columns) {}

          @Override
          public boolean row(Row row) {
            return rows.add(row);
          }

          @Override
          public void warning(String message) {
            throw new AssertionError(statement + ": " + message);
          }
        });
    return ((BooleanValue) rows.get(0).values().get(0)).value();
  }

  private static void assertReceivesAfterSends(List<Event> events) {
    Map<String, Long> sent = new LinkedHashMap<>();
    for (Event event : events) {
      if (event.body() instanceof EventBody.Send send) {
        sent.put(send.id(), event.hlc());
      }
      if (event.body() instanceof EventBody.Receive receive) {
        assertThat(sent.get(receive.id())).isNotNull().isLessThan(event.hlc());
      }
    }
  }

  private static ShivizImport.Result read(String log) {
    return ShivizImport.read(
        Map.of("f.log", log),
        new ShivizImport.Form("shiviz", Optional.empty(), Optional.empty(), false));
  }

  private static void assertRefused(String log, String message) {
    assertThatThrownBy(() -> read(log)).isInstanceOf(InputException.class).hasMessage(message);
  }

  private static String message(Event event) {
    return ((EventBody.LogLine) event.body()).message();
  }

  private static List<String> receives(ShivizImport.Result result) {
    return result.events().stream()
        .flatMap(
            event ->
                event.body() instanceof EventBody.Receive receive
                    ? Optional.of(receive.id()).stream()
                    : Optional.<String>empty().stream())
        .toList();
  }

  /** Hosts that act, send and receive at random, with proper vector clocks. */
  private static final class RandomExecution {
    private static final int HOSTS = 4;
    private static final int EVENTS = 40;

    /** The clocks by the event's name, in the order of the events. */
    final Map<String, int[]> clocks = new LinkedHashMap<>();

    private final Map<String, Integer> hosts = new LinkedHashMap<>();
    private final int[][] now = new int[HOSTS][HOSTS];
    private final Random random;

    RandomExecution(Random random) {
      this.random = random;
      List<int[]> inFlight = new ArrayList<>();
      for (int i = 0; i < EVENTS; i++) {
        int host = random.nextInt(HOSTS);
        if (!inFlight.isEmpty() && random.nextBoolean()) {
          int[] message = inFlight.remove(random.nextInt(inFlight.size()));
          for (int h = 0; h < HOSTS; h++) {
            now[host][h] = Math.max(now[host][h], message[h]);
          }
        }
        now[host][host]++;
        clocks.put("event " + i, now[host].clone());
        hosts.put("event " + i, host);
        if (random.nextBoolean()) {
          inFlight.add(now[host].clone());
        }
      }
    }

    String log() {
      List<String> names = new ArrayList<>(clocks.keySet());
      java.util.Collections.shuffle(names, random);
      StringBuilder log = new StringBuilder();
      for (String name : names) {
        StringBuilder clock = new StringBuilder();
        for (int h = 0; h < HOSTS; h++) {
          if (clocks.get(name)[h] > 0) {
            clock.append(clock.isEmpty() ? "" : ", ");
            clock.append("\"h").append(h).append("\": ").append(clocks.get(name)[h]);
          }
        }
        log.append("h").append(hosts.get(name)).append(" {").append(clock).append("}\n");
        log.append(name).append("\n");
      }
      return log.toString();
    }

    boolean happenedBefore(String a, String b) {
      int[] x = clocks.get(a);
      int[] y = clocks.get(b);
      boolean all = true;
      for (int h = 0; h < HOSTS; h++) {
        all &= x[h] <= y[h];
      }
      return all && !java.util.Arrays.equals(x, y);
    }

    void checkOrder(Map<String, Long> stamps, long seed) {
      for (String later : clocks.keySet()) {
        for (String earlier : clocks.keySet()) {
          if (happenedBefore(earlier, later)) {
            assertThat(stamps.get(earlier))
                .as("seed %d: %s before %s", seed, earlier, later)
                .isLessThan(stamps.get(later));
          }
        }
      }
    }

    /** The number of events that remaining ones know, but that are missing. */
    long knownLosses() {
      long lost = 0;
      for (int h = 0; h < HOSTS; h++) {
        int host = h;
        int known = clocks.values().stream().mapToInt(clock -> clock[host]).max().orElse(0);
        lost += known - clocks.keySet().stream().filter(name -> hosts.get(name) == host).count();
      }
      return lost;
    }

    /** The number of arrows by definition: pairs of different hosts without an event in between. */
    long reducedArrowCount() {
      long count = 0;
      for (String a : clocks.keySet()) {
        for (String b : clocks.keySet()) {
          if (!hosts.get(a).equals(hosts.get(b)) && happenedBefore(a, b)) {
            boolean between =
                clocks.keySet().stream()
                    .anyMatch(c -> happenedBefore(a, c) && happenedBefore(c, b));
            count += between ? 0 : 1;
          }
        }
      }
      return count;
    }
  }
}
