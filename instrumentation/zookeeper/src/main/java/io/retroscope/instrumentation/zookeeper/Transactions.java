// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.zookeeper;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.jute.Record;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.server.ByteBufferInputStream;
import org.apache.zookeeper.txn.CloseSessionTxn;
import org.apache.zookeeper.txn.CreateContainerTxn;
import org.apache.zookeeper.txn.CreateTTLTxn;
import org.apache.zookeeper.txn.CreateTxn;
import org.apache.zookeeper.txn.DeleteTxn;
import org.apache.zookeeper.txn.MultiTxn;
import org.apache.zookeeper.txn.SetDataTxn;
import org.apache.zookeeper.txn.Txn;
import org.jspecify.annotations.Nullable;

/** The decoder of changes in ZooKeeper's transactions. */
final class Transactions {
  private Transactions() {}

  /**
   * The changes of one transaction, in its order; those of a multi together, none if it failed.
   *
   * @throws IOException if a part of a multi cannot be read
   */
  static List<ZnodeChange> changes(int type, Record txn) throws IOException {
    List<ZnodeChange> changes = new ArrayList<>(1);
    if (type == OpCode.multi && txn instanceof MultiTxn multi) {
      addAll(multi.getTxns(), changes);
    } else {
      add(txn, changes);
    }
    return changes;
  }

  private static void addAll(List<Txn> parts, List<ZnodeChange> changes) throws IOException {
    for (Txn part : parts) {
      if (part.getType() == OpCode.error) {
        changes.clear();
        return;
      }
      Record record = emptyRecord(part.getType());
      if (record != null) {
        ByteBufferInputStream.byteBuffer2Record(ByteBuffer.wrap(part.getData()), record);
        add(record, changes);
      }
    }
  }

  /** An empty record for a part's bytes, or null if the part changes no znode. */
  private static @Nullable Record emptyRecord(int type) {
    return switch (type) {
      case OpCode.create, OpCode.create2 -> new CreateTxn();
      case OpCode.createTTL -> new CreateTTLTxn();
      case OpCode.createContainer -> new CreateContainerTxn();
      case OpCode.delete, OpCode.deleteContainer -> new DeleteTxn();
      case OpCode.setData -> new SetDataTxn();
      default -> null;
    };
  }

  private static void add(Record txn, List<ZnodeChange> changes) {
    if (txn instanceof SetDataTxn set) {
      changes.add(new ZnodeChange(set.getPath(), set.getVersion()));
    } else if (txn instanceof CreateTxn create) {
      changes.add(ZnodeChange.created(create.getPath()));
    } else if (txn instanceof DeleteTxn delete) {
      changes.add(ZnodeChange.deleted(delete.getPath()));
    } else if (txn instanceof CreateTTLTxn create) {
      changes.add(ZnodeChange.created(create.getPath()));
    } else if (txn instanceof CreateContainerTxn create) {
      changes.add(ZnodeChange.created(create.getPath()));
    } else if (txn instanceof CloseSessionTxn close) {
      close.getPaths2Delete().forEach(path -> changes.add(ZnodeChange.deleted(path)));
    }
  }
}
