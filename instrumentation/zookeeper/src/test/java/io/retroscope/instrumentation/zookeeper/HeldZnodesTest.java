// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.recorder.Recorder;
import io.retroscope.sink.MemorySink;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.jute.BinaryOutputArchive;
import org.apache.jute.Record;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.DataTree.ProcessTxnResult;
import org.apache.zookeeper.txn.CreateTxn;
import org.apache.zookeeper.txn.DeleteTxn;
import org.apache.zookeeper.txn.MultiTxn;
import org.apache.zookeeper.txn.SetDataTxn;
import org.apache.zookeeper.txn.Txn;
import org.apache.zookeeper.txn.TxnHeader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of a trace with more znodes than it holds, in a real data tree. */
final class HeldZnodesTest {
  private static final byte[] DATA = {1};
  private static final int LIMIT = HeldZnodes.MAX_COUNT;
  private static final long SEED = 20261122;

  private final DataTree tree = new DataTree();
  private final MemorySink sink = new MemorySink();
  private final Recorder recorder =
      Recorder.builder().node("zk1").sink(sink).ringCapacity(1 << 16).build();
  private final ServerTrace trace =
      new ServerTrace(TracedZnodes.parse("/"), recorder, new ServingWatch(recorder, () -> 0));
  private final Object server = new Object();

  private long zxid;

  @Test
  void applying_asManyAsTheLimit_holdsAllAndWarnsOfNothing() throws IOException {
    trace.servingBegins(server, tree);
    createFrom(0, LIMIT);

    assertThat(state("setd")).hasSize(LIMIT);
    assertThat(state(HeldZnodes.AGENT_LOG)).isEmpty();
    assertThat(caveats()).isEmpty();
  }

  @Test
  void applying_moreThanTheLimit_countsWhatIsLeftOutAndWarns() throws IOException {
    trace.servingBegins(server, tree);
    createFrom(0, LIMIT + 3);

    assertThat(state("setd")).hasSize(LIMIT).doesNotContainKey("n" + LIMIT);
    assertThat(leftOut()).isEqualTo(3);
    assertThat(caveats()).containsExactly(HeldZnodes.CAVEAT);
  }

  @Test
  void applying_roomAgain_takesTheLeftOutWithTheirNextChangeAndWithdrawsTheCaveat()
      throws IOException {
    trace.servingBegins(server, tree);
    createFrom(0, LIMIT + 3);
    apply(OpCode.setData, set("/n" + LIMIT, 1));
    assertThat(leftOut()).as("there is no room yet").isEqualTo(3);

    apply(OpCode.delete, new DeleteTxn("/n0"));
    apply(OpCode.delete, new DeleteTxn("/n1"));
    apply(OpCode.setData, set("/n" + LIMIT, 2));
    assertThat(state("setd")).containsEntry("n" + LIMIT, Value.of(2)).doesNotContainKey("n0");
    assertThat(leftOut()).isEqualTo(2);

    apply(OpCode.delete, new DeleteTxn("/n" + (LIMIT + 1)));
    assertThat(leftOut()).as("one that is left out is deleted").isEqualTo(1);
    assertThat(caveats()).isNotEmpty();

    apply(OpCode.setData, set("/n" + (LIMIT + 2), 1));
    assertThat(leftOut()).isZero();
    assertThat(caveats()).isEmpty();
    assertThat(state("setd")).hasSize(LIMIT);
  }

  @Test
  void failed_transactionsOfLeftOutZnodes_leaveTheCountAsItIs() throws IOException {
    trace.servingBegins(server, tree);
    createFrom(0, LIMIT + 1);

    apply(OpCode.create, create("/n" + LIMIT));
    apply(OpCode.setData, set("/gone", 1));
    apply(OpCode.delete, new DeleteTxn("/gone"));
    assertThat(leftOut()).isEqualTo(1);
  }

  @Test
  void servingBegins_treeBeyondTheLimit_keepsWhatWasHeldAndCountsTheRest() throws IOException {
    trace.servingBegins(server, tree);
    createFrom(0, LIMIT);
    trace.servingEnds(server);
    createFrom(LIMIT, LIMIT + 7);
    apply(OpCode.delete, new DeleteTxn("/n0"));
    trace.servingBegins(server, tree);

    Map<String, Value> state = state("setd");
    assertThat(state).hasSize(LIMIT).containsKeys("n1", "n" + (LIMIT - 1)).doesNotContainKey("n0");
    assertThat(leftOut()).isEqualTo(6);
    assertThat(caveats()).containsExactly(HeldZnodes.CAVEAT);
  }

  @Test
  void servingBegins_longPaths_areLeftOutAndSpoilNoEvent() throws IOException {
    String tooLong = "/" + "x".repeat(HeldZnodes.MAX_PATH_LENGTH);
    apply(OpCode.create, create("/r1"));
    apply(OpCode.create, create(tooLong));
    trace.servingBegins(server, tree);
    assertThat(state("setd")).containsOnlyKeys("r1");

    MultiTxn multi =
        new MultiTxn(
            List.of(part(OpCode.setData, set("/r1", 1)), part(OpCode.setData, set(tooLong, 1))));
    trace.proposing(new TxnHeader(1, 1, zxid + 1, 1, OpCode.multi), multi);
    apply(OpCode.multi, multi);
    assertThat(state("setd")).containsExactly(Map.entry("r1", Value.of(1)));
    assertThat(state("proposal")).containsOnlyKeys("r1", "zxid");
    assertThat(leftOut()).isEqualTo(1);
    assertThat(recorder.statistics().refused()).isZero();
  }

  @Test
  void servingBegins_manyLongPaths_areOneEventThatIsNotTooLarge() throws IOException {
    String prefix = "/" + "x".repeat(HeldZnodes.MAX_PATH_LENGTH - 10);
    int count = 3 * HeldZnodes.MAX_TOTAL_LENGTH / HeldZnodes.MAX_PATH_LENGTH;
    for (int i = 0; i < count; i++) {
      apply(OpCode.create, create(prefix + i));
    }
    trace.servingBegins(server, tree);

    assertThat(recorder.statistics().refused()).isZero();
    assertThat(state("setd")).hasSizeGreaterThan(1_000);
    assertThat(state("setd").size() + leftOut()).isEqualTo(count);
  }

  @Test
  void proposing_fullButNothingLeftOut_recordsWhatMayFindRoom() throws IOException {
    trace.servingBegins(server, tree);
    createFrom(0, LIMIT);
    trace.proposing(header(OpCode.create), create("/new1"));
    assertThat(state("proposal")).containsKey("new1");

    apply(OpCode.create, create("/left-out"));
    trace.proposing(header(OpCode.create), create("/new2"));
    trace.proposing(header(OpCode.setData), set("/n5", 1));
    assertThat(state("proposal")).containsKey("n5").doesNotContainKey("new2");
    assertThat(caveats()).isNotEmpty();
  }

  /** Random transactions around the limit: the state and the count are those of the tree. */
  @Test
  void applying_randomTransactions_heldAndLeftOutAreAllThereIs() throws IOException {
    Random random = new Random(SEED);
    createFrom(0, LIMIT - 5);
    trace.servingBegins(server, tree);
    for (int i = 0; i < 3_000; i++) {
      apply(OpCode.multi, randomMulti(random));
      if (i % 100 == 0) {
        checkAgainstTree(i);
      }
    }
    checkAgainstTree(3_000);
  }

  private MultiTxn randomMulti(Random random) throws IOException {
    List<Txn> parts = new ArrayList<>();
    Set<String> there = new HashSet<>();
    for (int i = 0; i < 40; i++) {
      if (tree.getNode("/x" + i) != null) {
        there.add("/x" + i);
      }
    }
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      String path = "/x" + random.nextInt(40);
      if (!there.contains(path)) {
        parts.add(part(OpCode.create, create(path)));
        there.add(path);
      } else if (random.nextBoolean()) {
        parts.add(part(OpCode.setData, set(path, 1 + random.nextInt(1_000))));
      } else {
        parts.add(part(OpCode.delete, new DeleteTxn(path)));
        there.remove(path);
      }
    }
    return new MultiTxn(parts);
  }

  private void checkAgainstTree(int step) {
    Map<String, Value> state = state("setd");
    int there = tree.getNode("").getChildren().size() - 1; // /zookeeper
    assertThat(state.size() + leftOut()).as("seed %d, step %d", SEED, step).isEqualTo(there);
    state.forEach(
        (variable, version) ->
            assertThat(version)
                .as("seed %d, step %d: %s", SEED, step, variable)
                .isEqualTo(Value.of(tree.getNode("/" + variable).stat.getVersion())));
    assertThat(caveats().isEmpty()).as("seed %d, step %d", SEED, step).isEqualTo(leftOut() == 0);
  }

  @AfterEach
  void close() {
    recorder.close();
  }

  private void createFrom(int first, int end) throws IOException {
    for (int i = first; i < end; i++) {
      apply(OpCode.create, create("/n" + i));
    }
  }

  private void apply(int type, Record txn) throws IOException {
    TxnHeader header = header(type);
    trace.applying(header, txn, tree);
    ProcessTxnResult result = tree.processTxn(header, txn);
    if (result.err != 0) {
      trace.failed(header, txn, tree);
    }
  }

  private TxnHeader header(int type) {
    return new TxnHeader(1, 1, ++zxid, 1_000, type);
  }

  private static SetDataTxn set(String path, int version) {
    return new SetDataTxn(path, DATA, version);
  }

  private static CreateTxn create(String path) {
    return new CreateTxn(path, DATA, Ids.OPEN_ACL_UNSAFE, false, -1);
  }

  private static Txn part(int type, Record record) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    record.serialize(BinaryOutputArchive.getArchive(bytes), "part");
    return new Txn(type, bytes.toByteArray());
  }

  private long leftOut() {
    Value count = state(HeldZnodes.AGENT_LOG).getOrDefault(HeldZnodes.LEFT_OUT, Value.of(0));
    return ((LongValue) count).value();
  }

  /** The variables of a log after the events so far. */
  private Map<String, Value> state(String log) {
    assertThat(recorder.flush(Duration.ofSeconds(10))).isTrue();
    Map<String, Value> state = new HashMap<>();
    for (Change change : changes(log)) {
      if (change.operation() == Operation.SET) {
        state.put(change.variable(), change.value());
      } else {
        state.remove(change.variable());
      }
    }
    return state;
  }

  private List<Change> changes(String log) {
    return sink.events().stream()
        .filter(event -> event.log().equals(log))
        .sorted(Comparator.comparingLong(Event::sequence))
        .flatMap(event -> ((StateChange) event.body()).changes().stream())
        .toList();
  }

  private Set<String> caveats() {
    return Caveats.of(recorder, sink);
  }
}
