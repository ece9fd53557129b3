// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.recordings.replay.ClockReading;
import io.retroscope.recordings.replay.ClockReplay;
import io.retroscope.recordings.replay.MergedReadings;
import io.retroscope.recordings.replay.MessageSurvey;
import io.retroscope.recordings.replay.Messages;
import io.retroscope.recordings.replay.ReadingSource;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.json.EventConsumer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Simulated services with wrong clocks that write text logs: whatever the clocks say, no message is
 * received before it is sent.
 */
class SkewedServicesTest {
  private static final int HISTORIES = 500;
  private static final long START_MICROS = 1_795_200_000_000_000L;

  private static final MessageRules RULES =
      MessageRules.of(
          List.of(), List.of("sent (?<id>m\\d+) to (?<peer>\\w+)"), List.of("got (?<id>m\\d+)"));

  private static final TextLogSettings SETTINGS =
      new TextLogSettings(
          FormatCatalog.BUILT_IN,
          Optional.empty(),
          Optional.empty(),
          Map.of(),
          NodeNaming.BY_FILE,
          "app",
          RULES);

  /** One run of some services, with the lines that each wrote. */
  private static final class Run {
    private final Random random;
    private final int nodeCount;
    private final long[] skews;
    private final Map<Integer, StringBuilder> logs = new HashMap<>();
    private long now = START_MICROS;
    private int messages;

    Run(long seed) {
      random = new Random(seed);
      nodeCount = 2 + random.nextInt(4);
      skews = new long[nodeCount];
      for (int i = 0; i < nodeCount; i++) {
        skews[i] = random.nextInt(4_000_000) - 2_000_000L;
        logs.put(i, new StringBuilder());
        line(i, "started");
      }
      List<int[]> onTheWay = new ArrayList<>();
      int steps = 20 + random.nextInt(60);
      for (int step = 0; step < steps; step++) {
        now += random.nextInt(50_000);
        int node = random.nextInt(nodeCount);
        if (random.nextInt(200) == 0) {
          skews[node] -= random.nextInt(3_000_000); // the clock steps back
        }
        switch (random.nextInt(3)) {
          case 0 -> line(node, "works");
          case 1 -> {
            int to = (node + 1 + random.nextInt(nodeCount - 1)) % nodeCount;
            onTheWay.add(new int[] {messages, to});
            line(node, "sent m" + messages++ + " to n" + to);
          }
          default -> {
            if (!onTheWay.isEmpty()) {
              int[] message = onTheWay.remove(random.nextInt(onTheWay.size()));
              line(message[1], "got m" + message[0]);
            }
          }
        }
      }
    }

    private void line(int node, String text) {
      long micros = now + skews[node];
      String time =
          DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS")
              .format(Instant.ofEpochMilli(micros / 1_000).atOffset(ZoneOffset.UTC));
      logs.getOrDefault(node, new StringBuilder())
          .append(time)
          .append(" [main] INFO  a.B - ")
          .append(text)
          .append('\n');
    }

    /** All events with derived stamps, and what they rest on. */
    Result read() throws IOException {
      Vocabulary vocabulary = Vocabulary.learning();
      List<MergedReadings.Opening> openings = openings(vocabulary);
      MessageSurvey survey = new MessageSurvey();
      try (MergedReadings all = new MergedReadings(openings)) {
        for (ClockReading next = all.next(); next != null; next = all.next()) {
          survey.add(next);
        }
      }
      vocabulary.learned(survey.nodes());
      Messages found = survey.solve();
      Result result = new Result();
      ClockReplay replay = new ClockReplay(found, result);
      try (MergedReadings all = new MergedReadings(openings)) {
        for (ClockReading next = all.next(); next != null; next = all.next()) {
          replay.add(next);
        }
      }
      replay.finish();
      return result;
    }

    private List<MergedReadings.Opening> openings(Vocabulary vocabulary) {
      List<MergedReadings.Opening> openings = new ArrayList<>();
      logs.forEach(
          (node, text) -> {
            byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
            TextLog log =
                TextLog.recognize("n" + node + ".log", bytes, SETTINGS)
                    .orElseThrow()
                    .of("n" + node);
            openings.add(
                new MergedReadings.Opening() {
                  @Override
                  public long firstMicros() {
                    return 0;
                  }

                  @Override
                  public ReadingSource open() {
                    return log.open(new ByteArrayInputStream(bytes), vocabulary);
                  }
                });
          });
      return openings;
    }
  }

  private static final class Result implements EventConsumer {
    private final List<Event> events = new ArrayList<>();
    private final List<Incompleteness> reasons = new ArrayList<>();

    @Override
    public void event(Event event) {
      events.add(event);
    }

    @Override
    public void gap(Gap gap) {
      throw new AssertionError(gap);
    }

    @Override
    public void incomplete(Incompleteness reason) {
      reasons.add(reason);
    }
  }

  @Test
  void messages_areReceivedAfterTheyAreSent() throws IOException {
    long receives = 0;
    for (long seed = 0; seed < HISTORIES; seed++) {
      Run run = new Run(seed);
      Result result = run.read();
      receives += check(run, result, seed);
    }
    assertThat(receives).isGreaterThan(5L * HISTORIES);
  }

  private static long check(Run run, Result result, long seed) {
    Map<String, Long> sent = new HashMap<>();
    Map<String, Long> last = new HashMap<>();
    Map<String, StringBuilder> lines = new HashMap<>();
    for (Event event : result.events) {
      long before = last.getOrDefault(event.node(), Long.MIN_VALUE);
      assertThat(event.hlc()).as("seed %d: stamps of %s", seed, event.node()).isGreaterThan(before);
      last.put(event.node(), event.hlc());
      if (event.body() instanceof EventBody.Send send) {
        sent.put(send.id(), event.hlc());
      } else if (event.body() instanceof EventBody.LogLine line) {
        lines
            .computeIfAbsent(event.node(), name -> new StringBuilder())
            .append(line.message())
            .append('\n');
      }
    }
    long receives = 0;
    for (Event event : result.events) {
      if (event.body() instanceof EventBody.Receive receive) {
        receives++;
        assertThat(event.hlc())
            .as("seed %d: receive of %s", seed, receive.id())
            .isGreaterThan(sent.getOrDefault(receive.id(), Long.MAX_VALUE));
      }
    }
    run.logs.forEach(
        (node, text) ->
            assertThat(String.valueOf(lines.get("n" + node)))
                .as("seed %d: order of lines", seed)
                .isEqualTo(text.toString().replaceAll("(?m)^.* - ", "")));
    assertThat(result.reasons.get(result.reasons.size() - 1))
        .as("seed %d", seed)
        .isInstanceOfSatisfying(
            Incompleteness.Derived.class,
            derived -> assertThat(derived.nodes()).hasSize(run.nodeCount));
    long messages =
        ((Incompleteness.Derived) result.reasons.get(result.reasons.size() - 1)).messages();
    assertThat(messages).as("seed %d", seed).isEqualTo(receives);
    return receives;
  }
}
