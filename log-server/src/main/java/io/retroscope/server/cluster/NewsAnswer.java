// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.server.live.BlockNotice;
import io.retroscope.server.store.run.Incarnation;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/**
 * The news of partitions.
 *
 * @param absent the partitions that are not here, or not as far as they are known
 * @param troubles why partitions here are not read further, in one sentence each
 */
record NewsAnswer(List<News> news, List<Integer> absent, Map<Integer, String> troubles) {
  /** Copies the collections. */
  NewsAnswer {
    news = List.copyOf(news);
    absent = List.copyOf(absent);
    troubles = Map.copyOf(troubles);
  }

  boolean isEmpty() {
    return news.isEmpty() && absent.isEmpty();
  }

  /**
   * What the store of a partition has that was not known.
   *
   * @param feed identifies the store, from when it was opened
   * @param number of the news; later ones have higher numbers
   * @param isLast whether more news follow before the offset is reached
   * @param offset all records before it are stored
   * @param isWhole whether the notices are of all blocks of records from the known offset on
   * @param runs the states of the runs that have changed
   */
  record News(
      int partition,
      long feed,
      long number,
      boolean isLast,
      long offset,
      boolean isWhole,
      List<RunState> runs,
      List<BlockNotice> blocks) {
    /** Copies the lists. */
    News {
      runs = List.copyOf(runs);
      blocks = List.copyOf(blocks);
    }

    /** The notices of all blocks; one that no server remembers may be of any log and stamp. */
    List<BlockNotice> notices() {
      return isWhole ? blocks : List.of(BlockNotice.ANY);
    }
  }

  /**
   * A run of a node.
   *
   * @param state as in a store
   * @param isTooFarAhead what a store does not keep: whether its last promise did not count
   */
  record RunState(String node, String incarnation, byte[] state, boolean isTooFarAhead) {
    static RunState of(Incarnation run) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try {
        run.write(new DataOutputStream(bytes));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return new RunState(
          run.name().node(), run.name().incarnation(), bytes.toByteArray(), run.isTooFarAhead());
    }

    /**
     * Reads the state.
     *
     * @throws IOException if it is of another version
     */
    Incarnation run() throws IOException {
      Incarnation run =
          Incarnation.read(
              new Incarnation.Name(node, incarnation),
              new DataInputStream(new ByteArrayInputStream(state)));
      if (isTooFarAhead) {
        run.promisedTooFarAhead();
      }
      return run;
    }
  }
}
