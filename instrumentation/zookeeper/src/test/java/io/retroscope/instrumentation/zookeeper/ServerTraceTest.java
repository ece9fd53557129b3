// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value.LongValue;
import io.retroscope.recorder.Recorder;
import io.retroscope.sink.MemorySink;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.apache.jute.BinaryOutputArchive;
import org.apache.jute.Record;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.DataTree.ProcessTxnResult;
import org.apache.zookeeper.server.quorum.QuorumPacket;
import org.apache.zookeeper.txn.CloseSessionTxn;
import org.apache.zookeeper.txn.CreateTxn;
import org.apache.zookeeper.txn.DeleteTxn;
import org.apache.zookeeper.txn.MultiTxn;
import org.apache.zookeeper.txn.SetDataTxn;
import org.apache.zookeeper.txn.Txn;
import org.apache.zookeeper.txn.TxnHeader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of a trace with a real data tree, in the order in which the hooks are called. */
final class ServerTraceTest {
  private static final byte[] DATA = {1};
  private static final long SESSION = 7;

  private final DataTree tree = new DataTree();
  private final MemorySink sink = new MemorySink();
  private final Recorder recorder = Recorder.builder().node("zk1").sink(sink).build();
  private final ServerTrace trace = trace("/");
  private final Object server = new Object();

  private long zxid;
  private long forgottenCount;

  @Test
  void applying_servingServer_recordsTransactionAndState() throws IOException {
    trace.servingBegins(server, tree);
    apply(OpCode.create, create("/r1"));
    apply(OpCode.setData, set("/r1", 1));
    apply(OpCode.delete, new DeleteTxn("/r1"));

    assertThat(events())
        .containsExactly(
            "apply[zxid=1]",
            "setd[r1=0]",
            "apply[zxid=2]",
            "setd[r1=1]",
            "apply[zxid=3]",
            "setd[-r1]");
  }

  @Test
  void applying_replay_recordsNothingUntilServingBegins() throws IOException {
    apply(OpCode.create, create("/r1"));
    apply(OpCode.setData, set("/r1", 1));
    apply(OpCode.create, create("/r2"));
    assertThat(events()).isEmpty();

    trace.servingBegins(server, tree);
    assertThat(events()).hasSize(1);
    assertThat(events().get(0)).startsWith("setd[").contains("r1=1").contains("r2=0");
  }

  @Test
  void servingBegins_afterReplayWithoutTrace_unsetsWhatIsGone() throws IOException {
    trace.servingBegins(server, tree);
    apply(OpCode.create, create("/r1"));
    apply(OpCode.create, create("/r2"));
    trace.servingEnds(server);
    apply(OpCode.delete, new DeleteTxn("/r1"));
    forget();

    trace.servingBegins(server, tree);
    assertThat(events()).containsExactly("setd[r2=0, -r1]");
  }

  @Test
  void applying_multi_isOneEventWithTheLastVersions() throws IOException {
    trace.servingBegins(server, tree);
    apply(OpCode.create, create("/r1"));
    forget();
    MultiTxn multi =
        new MultiTxn(
            List.of(
                part(OpCode.setData, set("/r1", 1)),
                part(OpCode.create, create("/r2")),
                part(OpCode.setData, set("/r1", 2))));
    apply(OpCode.multi, multi);

    assertThat(events()).containsExactly("apply[zxid=2]", "setd[r1=2, r2=0]");
  }

  @Test
  void failed_transaction_recordsWhatIsReallyThere() throws IOException {
    trace.servingBegins(server, tree);
    apply(OpCode.create, create("/r1"));
    forget();
    apply(OpCode.create, create("/r1"));
    apply(OpCode.setData, set("/gone", 5));

    assertThat(events())
        .containsExactly(
            "apply[zxid=2]",
            "setd[r1=0]",
            "setd[r1=0]",
            "apply[zxid=3]",
            "setd[gone=5]",
            "setd[-gone]");
  }

  @Test
  void applying_endOfSession_unsetsItsEphemerals() throws IOException {
    trace.servingBegins(server, tree);
    apply(OpCode.create, new CreateTxn("/e", DATA, Ids.OPEN_ACL_UNSAFE, true, -1));
    forget();
    TxnHeader header = header(OpCode.closeSession);
    trace.applying(header, new CloseSessionTxn(List.of()), tree);

    assertThat(events()).containsExactly("apply[zxid=2]", "setd[-e]");
  }

  @Test
  void proposing_transaction_isRecordedWithItsZxid() throws IOException {
    trace.proposing(header(OpCode.setData), set("/r1", 4));
    trace.proposing(header(OpCode.setData), set("/zookeeper/config", 4));

    assertThat(events()).containsExactly("proposal[r1=4, zxid=1]");
  }

  @Test
  void servingBegins_announcedTwice_recordsTheTreeOnce() throws IOException {
    apply(OpCode.create, create("/r1"));
    trace.servingBegins(server, tree);
    trace.servingBegins(server, tree);

    assertThat(events()).containsExactly("setd[r1=0]");
  }

  @Test
  void servingBegins_anotherServerOnTheSameTree_recordsItAgain() throws IOException {
    apply(OpCode.create, create("/r1"));
    trace.servingBegins(server, tree);
    trace.servingBegins(new Object(), tree);

    assertThat(events()).containsExactly("setd[r1=0]", "setd[r1=0]");
  }

  @Test
  void servingEnds_serverBeforeTheOneThatServes_recordingContinues() throws IOException {
    trace.servingBegins(server, tree);
    trace.servingBegins(new Object(), tree);
    trace.servingEnds(server);
    apply(OpCode.create, create("/r1"));

    assertThat(events()).containsExactly("apply[zxid=1]", "setd[r1=0]");
  }

  @Test
  void stamp_messagesOfOneInterval_recordsOneAndStampsAll() {
    ServerTrace receiver = trace("/");
    QuorumPacket packet = new QuorumPacket(5, 1, DATA, null);
    for (int i = 0; i < 100; i++) {
      long before = recorder.clock().last();
      StampedPacket stamped = trace.stamp(packet);
      receiver.receive(stamped);
      assertThat(stamped.getAuthinfo()).isNull();
      assertThat(recorder.clock().last()).isGreaterThan(before + 1);
    }

    List<Event> messages = recorded().filter(event -> event.log().equals("quorum")).toList();
    assertThat(messages).hasSizeBetween(2, 20);
    assertThat(messages.get(0).body()).isInstanceOf(EventBody.Send.class);
    EventBody.Send sent = (EventBody.Send) messages.get(0).body();
    assertThat(messages.get(1).body()).isEqualTo(new EventBody.Receive("zk1", sent.id()));
  }

  @AfterEach
  void close() {
    recorder.close();
  }

  private Stream<Event> recorded() {
    assertThat(recorder.flush(Duration.ofSeconds(10))).isTrue();
    return sink.events().stream()
        .skip(forgottenCount)
        .sorted(Comparator.comparingLong(Event::sequence));
  }

  /**
   * State changes since the last call of {@link #forget()}, as {@code log[variable=version,
   * -unset]}.
   */
  private List<String> events() {
    return recorded()
        .filter(event -> event.body() instanceof StateChange)
        .map(
            event ->
                event.log()
                    + ((StateChange) event.body())
                        .changes().stream().map(ServerTraceTest::text).toList())
        .toList();
  }

  private ServerTrace trace(String traced) {
    ServingWatch watch = new ServingWatch(recorder, () -> 0);
    return new ServerTrace(TracedZnodes.parse(traced), recorder, watch);
  }

  private void forget() {
    forgottenCount += recorded().count();
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
    return new TxnHeader(SESSION, 1, ++zxid, 1_000, type);
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

  private static String text(Change change) {
    return change.operation() == Operation.UNSET
        ? "-" + change.variable()
        : change.variable() + "=" + ((LongValue) change.value()).value();
  }
}
