// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.rql.cut.HlcRange;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the seam between live and past answers: the rows that a client was shown, without those
 * that were retracted, are the rows of the past outside the ranges that were reported as lost,
 * whatever failed in between.
 */
@Timeout(600)
class LiveSeamTest {
  private static final List<String> QUERIES =
      List.of(
          "SELECT %s x FROM t %s",
          "SELECT %s x FROM t WHEN SPREAD(x) >= 2 %s EMIT EDGES",
          "SELECT %s x FROM t WHEN SPREAD(x) >= 1 FOR 200ms %s EMIT EDGES",
          "SELECT %s x FROM t WHEN SPREAD(x) >= 2 NOT THEN SPREAD(x) < 1 WITHIN 2s %s",
          "SELECT %s n FROM t FOR EACH NODE n WHEN x@n >= 2 %s EMIT EDGES",
          "SELECT %s x FROM t WHEN MAX(x) = 3 %s EMIT INTERVALS",
          "SELECT %s COUNT(x) AS n, g FROM t COMPUTE GLOBAL g AND g := MAX(x) WHEN g > 1 %s",
          "SELECT %s x FROM t AT LIVE NODES WHEN SPREAD(x) >= 1 %s");

  @TempDir Path directory;

  /** What happened in some histories, so that the test shows that it tests something. */
  private int rows;

  private int late;
  private int retracted;
  private int lost;

  @Test
  void shownRows_withoutTheRetracted_areThoseOfThePast() throws Exception {
    holds(13);
  }

  /** Can be continued with {@code -Dseam.from=SEED}. */
  @Test
  @Tag("slow")
  @Timeout(7_200)
  void shownRows_ofManyHistories_areThoseOfThePast() throws Exception {
    holds(1_000);
  }

  @Test
  void shownRows_ofAClientWithoutTheMarks_areOthers() throws Exception {
    int failed = 0;
    for (long seed = 0; seed < 5; seed++) {
      failed += difference(seed, false).isEmpty() ? 0 : 1;
    }
    assertThat(failed).isGreaterThan(2);
  }

  private void holds(int histories) throws Exception {
    Long one = Long.getLong("seam.seed");
    long first = one == null ? Long.getLong("seam.from", 0) : one;
    long end = one == null ? first + histories : one + 1;
    for (long seed = first; seed < end; seed++) {
      assertThat(difference(seed, true)).as("-Dseam.seed=%d", seed).isEmpty();
      if ((seed + 1) % 100 == 0) {
        System.out.println("live and past rows agree up to seed " + seed);
      }
    }
    if (one == null) {
      assertThat(List.of(rows / 20, late, retracted, lost))
          .allSatisfy(count -> assertThat(count).isGreaterThan(histories / 4));
    }
  }

  /** The first row that only one of the two answers has; empty if there is none. */
  private String difference(long seed, boolean takesMarks) throws Exception {
    Random random = new Random(seed);
    Map<String, SeamClient> clients = new LinkedHashMap<>();
    for (int i = random.nextInt(4); i >= 0; i--) {
      clients.put(QUERIES.get(random.nextInt(QUERIES.size())), new SeamClient(takesMarks));
    }
    Path data = directory.resolve(seed + (takesMarks ? "" : "-unmarked"));
    try (SeamHistory history = new SeamHistory(random, data, clients)) {
      history.run();
      StringBuilder all = new StringBuilder();
      clients.forEach(
          (query, client) -> {
            rows += client.rows.size();
            late += client.late;
            retracted += client.retracted;
            lost += client.reported;
            all.append(
                difference(
                    known(client.rows, client.lost),
                    known(history.past(query), client.lost),
                    query));
          });
      return all.toString();
    }
  }

  private static List<String> known(List<SeamClient.Shown> rows, List<HlcRange> lost) {
    return rows.stream()
        .filter(row -> lost.stream().noneMatch(range -> overlap(range, row.range())))
        .map(SeamClient.Shown::text)
        .sorted()
        .toList();
  }

  private static boolean overlap(HlcRange one, HlcRange other) {
    return one.from() <= other.to() && other.from() <= one.to();
  }

  private static String difference(List<String> shown, List<String> past, String query) {
    int i = 0;
    while (i < shown.size() && i < past.size() && shown.get(i).equals(past.get(i))) {
      i++;
    }
    return i == shown.size() && i == past.size()
        ? ""
        : "%s%nshown: %s%npast:  %s"
            .formatted(
                query,
                i < shown.size() ? shown.get(i) : "none",
                i < past.size() ? past.get(i) : "none");
  }
}
