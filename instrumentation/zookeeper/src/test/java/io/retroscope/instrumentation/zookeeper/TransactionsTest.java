// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import org.apache.jute.BinaryOutputArchive;
import org.apache.jute.Record;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.txn.CheckVersionTxn;
import org.apache.zookeeper.txn.CloseSessionTxn;
import org.apache.zookeeper.txn.CreateContainerTxn;
import org.apache.zookeeper.txn.CreateSessionTxn;
import org.apache.zookeeper.txn.CreateTTLTxn;
import org.apache.zookeeper.txn.CreateTxn;
import org.apache.zookeeper.txn.DeleteTxn;
import org.apache.zookeeper.txn.ErrorTxn;
import org.apache.zookeeper.txn.MultiTxn;
import org.apache.zookeeper.txn.SetDataTxn;
import org.apache.zookeeper.txn.Txn;
import org.junit.jupiter.api.Test;

final class TransactionsTest {
  private static final byte[] DATA = {1};

  @Test
  void changes_singleTransactions_giveTheVersionFromThenOn() throws IOException {
    assertThat(Transactions.changes(OpCode.setData, set("/r1", 7)))
        .containsExactly(new ZnodeChange("/r1", 7));
    assertThat(Transactions.changes(OpCode.create, create("/r1")))
        .containsExactly(ZnodeChange.created("/r1"));
    assertThat(
            Transactions.changes(
                OpCode.createTTL, new CreateTTLTxn("/t", DATA, Ids.OPEN_ACL_UNSAFE, 1, 1_000)))
        .containsExactly(ZnodeChange.created("/t"));
    assertThat(
            Transactions.changes(
                OpCode.createContainer, new CreateContainerTxn("/c", DATA, Ids.OPEN_ACL_UNSAFE, 1)))
        .containsExactly(ZnodeChange.created("/c"));
    assertThat(Transactions.changes(OpCode.delete, new DeleteTxn("/r1")))
        .containsExactly(ZnodeChange.deleted("/r1"));
  }

  @Test
  void changes_endOfSession_deletesItsEphemerals() throws IOException {
    assertThat(Transactions.changes(OpCode.closeSession, new CloseSessionTxn(List.of("/a", "/b"))))
        .containsExactly(ZnodeChange.deleted("/a"), ZnodeChange.deleted("/b"));
  }

  @Test
  void changes_transactionWithoutZnodes_areNone() throws IOException {
    assertThat(Transactions.changes(OpCode.createSession, new CreateSessionTxn(1_000))).isEmpty();
    assertThat(Transactions.changes(OpCode.error, new ErrorTxn(-101))).isEmpty();
  }

  @Test
  void changes_multi_unpacksInOrder() throws IOException {
    MultiTxn multi =
        new MultiTxn(
            List.of(
                part(OpCode.check, new CheckVersionTxn("/r1", 6)),
                part(OpCode.setData, set("/r1", 7)),
                part(OpCode.create, create("/r2")),
                part(OpCode.delete, new DeleteTxn("/r3"))));

    assertThat(Transactions.changes(OpCode.multi, multi))
        .containsExactly(
            new ZnodeChange("/r1", 7), ZnodeChange.created("/r2"), ZnodeChange.deleted("/r3"));
  }

  @Test
  void changes_failedMulti_areNone() throws IOException {
    MultiTxn multi =
        new MultiTxn(
            List.of(part(OpCode.setData, set("/r1", 7)), part(OpCode.error, new ErrorTxn(-103))));

    assertThat(Transactions.changes(OpCode.multi, multi)).isEmpty();
  }

  private static SetDataTxn set(String path, int version) {
    return new SetDataTxn(path, DATA, version);
  }

  private static CreateTxn create(String path) {
    return new CreateTxn(path, DATA, Ids.OPEN_ACL_UNSAFE, false, 1);
  }

  private static Txn part(int type, Record record) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    record.serialize(BinaryOutputArchive.getArchive(bytes), "part");
    return new Txn(type, bytes.toByteArray());
  }
}
