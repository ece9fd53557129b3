// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static io.retroscope.server.store.StoreFixture.block;
import static io.retroscope.server.store.StoreFixture.hlc;
import static io.retroscope.server.store.StoreFixture.set;
import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.rql.json.NdjsonReader;
import io.retroscope.server.ingest.BatchReader;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.store.disk.Database;
import io.retroscope.server.store.disk.OpenRocks.Mode;
import io.retroscope.server.store.disk.StoreSchema;
import io.retroscope.server.store.disk.Table;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Lines that are stored as columns change a store exactly as the same lines as objects do. */
@Timeout(300)
class ColumnLinesTest {
  private static final long FUTURE = StoreFixture.NOW_MICROS + 3_600_000_000L;

  @TempDir Path directory;

  private int inColumns;
  private int asObjects;
  private int refused;

  @Test
  void store_randomBatches_isTheSameAsOfObjects() {
    compare(8);
  }

  @Test
  @Tag("slow")
  void store_manyRandomBatches_isTheSameAsOfObjects() {
    compare(250);
  }

  private void compare(int seeds) {
    for (int seed = 1; seed <= seeds; seed++) {
      try {
        check(seed);
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
    assertThat(inColumns).isGreaterThan(4 * seeds);
    assertThat(asObjects).isGreaterThan(4 * seeds);
    assertThat(refused).isGreaterThan(seeds / 3);
  }

  private void check(int seed) {
    Random random = new Random(seed);
    Path columns = directory.resolve("c" + seed);
    Path objects = directory.resolve("o" + seed);
    try (EventStore one = StoreFixture.open(columns);
        EventStore two = StoreFixture.open(objects)) {
      List<String> sent = new ArrayList<>();
      long micros = 1_000;
      for (int i = 0; i < 25; i++) {
        if (random.nextInt(6) == 0) {
          Submission run = run(random, i, micros);
          assertThat(append(one, run)).isEqualTo(append(two, run));
          continue;
        }
        boolean again = !sent.isEmpty() && random.nextInt(5) == 0;
        String text = again ? sent.get(random.nextInt(sent.size())) : text(random, micros);
        sent.add(text);
        micros += 1 + random.nextInt(3_000);
        Submission.Lines lines = read(text, one);
        assertThat(lines.blocks().isEmpty() ? lines.lines() : lines.events()).isNotEmpty();
        inColumns += lines.blocks().isEmpty() ? 0 : 1;
        asObjects += lines.blocks().isEmpty() ? 1 : 0;
        Submission.Lines plain = new Submission.Lines(lines.events(), lines.gaps(), 0);
        String answer = append(one, lines);
        assertThat(answer).isEqualTo(append(two, plain));
        refused += answer.contains("another event") ? 1 : 0;
      }
    }
    assertThat(entries(columns)).isEqualTo(entries(objects));
  }

  /** A block of a run with a name, which lines without one may belong to. */
  private static Submission run(Random random, int i, long micros) {
    String node = "n" + random.nextInt(3);
    long stamp = hlc(micros + 500_000 + i);
    return new Submission.Frames(
        List.of(block("r" + i, 1, stamp, List.of(set(node, "l", stamp, "x", i)))));
  }

  private static Submission.Lines read(String text, EventStore store) {
    try (MemoryBudget.Charge charge = store.memory().charge()) {
      return (Submission.Lines)
          new BatchReader(NdjsonReader.Limits.BATCH)
              .read(
                  Optional.empty(),
                  Optional.empty(),
                  text.getBytes(StandardCharsets.UTF_8),
                  charge);
    }
  }

  private static String append(EventStore store, Submission submission) {
    try {
      return store.append(submission).join().toString();
    } catch (CompletionException e) {
      return String.valueOf(e.getCause());
    }
  }

  private static String text(Random random, long from) {
    List<String> lines = new ArrayList<>();
    long micros = from - random.nextInt(20);
    for (int i = 1 + random.nextInt(12); i > 0; i--) {
      micros += random.nextInt(4);
      if (random.nextInt(100) == 0) {
        micros = FUTURE + random.nextInt(5); // goes into quarantine
      }
      lines.add(line(random, micros));
    }
    if (random.nextInt(4) == 0) {
      Collections.shuffle(lines, random);
    }
    return String.join("\n", lines);
  }

  private static String line(Random random, long micros) {
    String place =
        "{\"node\":\"n%d\",%%s\"hlc\":\"%d.%d\",%s"
            .formatted(
                random.nextInt(3),
                micros,
                random.nextInt(3),
                random.nextInt(3) == 0 ? "\"seq\":" + (1 + random.nextInt(50)) + "," : "");
    String log = "\"log\":\"l" + random.nextInt(2) + "\",";
    return switch (random.nextInt(24)) {
      case 0 -> place.formatted("") + "\"heartbeat\":true}";
      case 1 -> place.formatted("") + "\"start\":{\"incarnation\":\"s\"}}";
      case 2 -> place.formatted("") + "\"stop\":true}";
      case 3 -> place.formatted(log + "\"incarnation\":\"i\",") + "\"set\":{\"x\":1}}";
      case 4 -> place.formatted(log) + "\"send\":{\"to\":\"n1\",\"id\":\"m" + micros + "\"}}";
      case 5 -> place.formatted(log) + "\"message\":\"gr\u00fcn\",\"fields\":{\"a\":[1,2]}}";
      case 6 -> place.formatted(log) + "\"message\":\"one\",\"fields\":{\"a\":1.5,\"b\":\"x\"}}";
      default ->
          place.formatted(log)
              + "\"set\":{\"x\":%d,\"y\":\"t%d\"}}".formatted(random.nextInt(3), random.nextInt(3));
    };
  }

  /** All entries of a closed store. */
  private static List<String> entries(Path directory) {
    List<String> entries = new ArrayList<>();
    try (Database database = Database.open(directory, Mode.STRICT)) {
      for (Table<?, ?> table : StoreSchema.ALL) {
        addEntries(database, table, entries);
      }
    }
    return entries;
  }

  private static <K, V> void addEntries(Database database, Table<K, V> table, List<String> to) {
    HexFormat hex = HexFormat.of();
    database.forEach(
        table,
        (key, value) ->
            to.add(
                table.family()
                    + " "
                    + hex.formatHex(table.keyBytes(key))
                    + " "
                    + hex.formatHex(table.valueBytes(value))));
  }
}
