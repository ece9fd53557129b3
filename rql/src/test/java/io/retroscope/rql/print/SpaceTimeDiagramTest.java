// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.print;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.rql.golden.EventNotation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SpaceTimeDiagramTest {
  private static final List<String> ELECTION =
      List.of(
          "1ms  a start 1",
          "1ms  b start 1",
          "1ms  c start 1",
          "2ms  a raft role=\"leader\" term=1",
          "3ms  a net send c m1",
          "4ms  b net send a 1795200000004000.0",
          "4500us a net send b m2",
          "5ms  c net receive a m1",
          "6ms  c raft say \"a is the leader\"",
          "7ms  a net receive b 1795200000004000.0",
          "8ms  b heartbeat",
          "8ms  b raft role=\"leader\" +members=\"c\"",
          "8ms  c net send b m3",
          "9ms  b net receive a m2",
          "9ms  a stop");

  @Test
  void lines_ofACut_showItsEventsMessagesAndWhatIsUnderWay() {
    assertThat(String.join("\n", lines(ELECTION, 8_000)))
        .isEqualTo(
            """
                            a                             b                             c
                 -6.000 ms  * role = leader, term = 1     |                             |
                 -5.000 ms  * send m1 to c                |                             |
                 -4.000 ms  |                             * send #2 to a                |
                 -3.500 ms  * send m2 to b                |                             |
                 -3.000 ms  |-- m1 -----------------------+---------------------------->*
                 -2.000 ms  |                             |                             * "a is the leader"
                 -1.000 ms  *<---------------------- #2 --|                             |
                 +0.000 ms  |                             * role = leader, members + c  |
                 +0.000 ms  |                             |                             * send m3 to b
            the cut ========|=============================|=============================|=============================
            under way: m2 from a to b, received 1.000 ms later
            under way: m3 from c to b, no receipt is recorded\
            """);
  }

  @Test
  void lines_withoutAnEventBeforeTheCut_areNone() {
    assertThat(lines(ELECTION, 500)).isEmpty();
    assertThat(lines(List.of(), 500)).isEmpty();
  }

  @Test
  void lines_ofALongRecording_areTheLatest_andTheOthersAreCounted() {
    List<String> events = new ArrayList<>();
    for (int i = 1; i <= SpaceTimeDiagram.MAX_ROWS + 7; i++) {
      events.add(i + "ms a t x=" + i);
    }
    List<String> lines = lines(events, 1_000_000);

    assertThat(lines.get(0)).isEqualTo("(7 other events before)");
    assertThat(lines).hasSize(SpaceTimeDiagram.MAX_ROWS + 3);
    assertThat(lines.get(2)).endsWith("* x = 8");
  }

  @Test
  void lines_ofManyNodes_areThoseOfTheLatestNodes() {
    List<String> events = new ArrayList<>();
    for (int i = 1; i <= SpaceTimeDiagram.MAX_NODES + 2; i++) {
      events.add(i + "ms n" + i + " t x=" + i);
    }
    List<String> lines = lines(events, 1_000_000);

    assertThat(lines.get(0)).isEqualTo("(2 other events before)");
    assertThat(lines.get(1).strip().split(" +")).hasSize(SpaceTimeDiagram.MAX_NODES);
    assertThat(lines.get(1)).contains("n3 ").endsWith("n10");
  }

  @Test
  void lines_ofManyMessagesUnderWay_areLimited() {
    List<String> events = new ArrayList<>();
    for (int i = 1; i <= SpaceTimeDiagram.MAX_MESSAGES + 3; i++) {
      events.add(i + "ms a net send b m" + i);
    }
    assertThat(lines(events, 1_000_000))
        .filteredOn(line -> line.startsWith("under way"))
        .hasSize(SpaceTimeDiagram.MAX_MESSAGES + 1)
        .endsWith("under way: 3 more messages");
  }

  @Test
  void lines_ofAnUnknownSender_nameIt_andControlCharactersAreEscaped() {
    assertThat(lines(List.of("1ms a net receive z m9", "2ms a t say \"x\\ny\""), 2_000))
        .anyMatch(line -> line.endsWith("* receive m9 from z"))
        .anyMatch(line -> line.endsWith("* \"x\\ny\""));
  }

  /** A name that two messages share belongs to the latest send before the receipt. */
  @Test
  void lines_ofARepeatedName_connectTheLatestSendToThisReceiver() {
    List<String> events =
        List.of(
            "1ms a net send c ping",
            "2ms b net send c ping",
            "3ms a net send b ping",
            "4ms c net receive b ping");
    assertThat(lines(events, 4_000))
        .anyMatch(line -> line.matches(" +\\+0.000 ms +\\| +\\|-- ping -+>\\*"))
        .contains("under way: ping from a to c, no receipt is recorded");
  }

  /** Every row has each node's line at its place, whatever the order in which events are given. */
  @Test
  void lines_ofRandomRecordings_areAligned_inAnyOrderOfTheEvents() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int run = 0; run < 300; run++) {
      List<String> events = new ArrayList<>();
      int nodes = 1 + random.nextInt(4);
      for (int i = 1; i <= 20; i++) {
        String node = "n" + random.nextInt(nodes);
        String peer = "n" + random.nextInt(nodes);
        events.add(
            switch (random.nextInt(3)) {
              case 0 -> i + "ms " + node + " net send " + peer + " m" + i;
              case 1 -> i + "ms " + node + " net receive " + peer + " m" + random.nextInt(i);
              default -> i + "ms " + node + " t x=" + random.nextInt(100_000);
            });
      }
      List<Event> read = new ArrayList<>(EventNotation.read(events).events());
      List<String> lines = SpaceTimeDiagram.lines(read, HlcTimestamp.pack(15_000));
      Collections.shuffle(read, random);
      assertThat(SpaceTimeDiagram.lines(read, HlcTimestamp.pack(15_000)))
          .as("seed %d", seed)
          .isEqualTo(lines);
      String cut = lines.stream().filter(line -> line.startsWith("the cut")).findFirst().get();
      for (String line : lines) {
        if (line.contains(" ms  ") && !line.startsWith("under way")) {
          for (int x = 16; x < line.length(); x++) {
            if (cut.charAt(x) == '|') {
              assertThat(line.charAt(x)).as("seed %d: %s", seed, line).isIn('|', '*', '+');
            }
          }
        }
      }
    }
  }

  private static List<String> lines(List<String> notation, long cutMicros) {
    return SpaceTimeDiagram.lines(
        EventNotation.read(notation).events(), HlcTimestamp.pack(cutMicros));
  }
}
