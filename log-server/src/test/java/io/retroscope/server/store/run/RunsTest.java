// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RunsTest {
  @Test
  void recordingAt_runsThatOverlap_isTheLatestThatHadBegun() {
    Incarnation first = run("first", 10, 100);
    Incarnation second = run("second", 50, 200);
    Incarnation third = run("third", 300, 400);
    for (List<Incarnation> runs :
        List.of(List.of(first, second, third), List.of(third, second, first))) {
      assertThat(Runs.recordingAt(runs, 9)).isNull();
      assertThat(Runs.recordingAt(runs, 10)).isSameAs(first);
      assertThat(Runs.recordingAt(runs, 49)).isSameAs(first);
      assertThat(Runs.recordingAt(runs, 50)).isSameAs(second);
      assertThat(Runs.recordingAt(runs, 200)).isSameAs(second);
      assertThat(Runs.recordingAt(runs, 201)).isNull();
      assertThat(Runs.recordingAt(runs, 350)).isSameAs(third);
    }
  }

  @Test
  void namedOf_aNode_isItsRunsWithAName() {
    Incarnation unnamed = run("", 1, 9);
    Incarnation first = run("first", 10, 100);
    Incarnation other = new Incarnation(new Incarnation.Name("m", "first"));
    Runs runs = Runs.NONE.with(List.of(unnamed, first, other));
    assertThat(runs.namedOf("n")).containsExactly(first);
    assertThat(runs.namedOf("k")).isEmpty();
  }

  private static Incarnation run(String name, long from, long to) {
    Incarnation run = new Incarnation(new Incarnation.Name("n", name));
    run.seen(from, to);
    return run;
  }
}
