// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.server.cluster.Housekeeping.Kept;
import io.retroscope.server.store.disk.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests of the periodic work on the stores of a server. */
class HousekeepingTest {
  private final List<String> done = new ArrayList<>();

  /** A store that notes what is done, one part of which may fail. */
  private Kept store(String name, String failing) {
    return new Kept() {
      private void note(String what) {
        done.add(what + " " + name);
        if (what.equals(failing)) {
          throw new StoreException("the disk does not answer");
        }
      }

      @Override
      public void seal(long horizon) {
        note("seal");
      }

      @Override
      public void free() {
        note("free");
      }

      @Override
      public void readEvidence() {
        note("read");
      }
    };
  }

  private void keep(Map<Integer, Kept> stores) {
    new Housekeeping(
            () -> new TreeMap<>(stores),
            () -> {
              done.add("close");
              throw new IllegalStateException("a reading cannot be closed");
            },
            () -> 0)
        .run();
  }

  @Test
  void run_someWorkFails_doesAllOther() {
    keep(Map.of(1, store("a", "seal"), 2, store("b", "free"), 3, store("c", "read")));
    assertThat(done)
        .containsExactly(
            "close", "seal a", "free a", "read a", "seal b", "free b", "read b", "seal c", "free c",
            "read c");
  }
}
